"""A store that is able to be wrong: corrections that hold, values that stay rejected, conflicts and consent that are a
person's; numbers 8, 9, 12, 17 and 23 of REQUIREMENTS.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from door import Home, Person, Session, command, session, settled, tree
from mcp import MCPError
from mcp.types import ElicitResult, ErrorData

pytestmark = pytest.mark.anyio

WRONG = "The deploy script lives in tools/ship.sh."
NEIGHBOUR = "The harbour crane is painted green."
PORTS = ("The API listens on port 8081.", "The API listens on port 9090.")


async def note(agent: Session, text: str, name: str = "x", **more: Any) -> dict[str, Any]:
    return await agent.good("add_memory", kind="note", name=name, collection="work", text=text, **more)


async def texts(agent: Session, query: str, **more: Any) -> list[str]:
    return [hit["text"] for hit in await agent.hits(query, **more)]


def told(home: Home, *arguments: str) -> dict[str, Any]:
    """What the installed command did."""
    answer = command(home, *arguments, "--json", cwd=home.repo)
    assert answer.ok, answer.text
    return answer.data


# -- 23: five shapes of a correction ---------------------------------------------------------------------------------


SHAPES: dict[str, list[tuple[str, str, dict[str, str]]]] = {
    "replaced": [("add", "The deploy script gave way to relmake.", {"supersedes": "OLD"})],
    "flipped": [("revise", "The deploy script does not live in tools/ship.sh.", {})],
    "in part": [("revise", "The deploy script lives in scripts/ship.sh.", {})],
    "bounded": [
        ("add", "At first the deploy script lived in tools/ship.sh.", {"supersedes": "OLD", "valid_to": "2026-01-01"}),
        ("add", "The deploy script lives in scripts/ship.sh.", {"valid_from": "2026-01-01"}),
    ],
    "retracted": [("delete", "", {})],
}


async def correct(door: Session | Home, old: str, verb: str, text: str, more: dict[str, str]) -> None:
    """One step of a correction: as a tool call, or, by the second door, as a command."""
    named = {"kind": "note", "collection": "work", "name": "x"} if verb == "add" else {"id": old}
    more = {key: value.replace("OLD", old) for key, value in more.items()} | ({"text": text} if text else {})
    if isinstance(door, Session):
        await door.good(f"{verb}_memory", **named, **more)
    else:
        plain = [part for part in (named.pop("id", ""), more.pop("text", "")) if part]
        told(door, verb, *plain, *[f"--{key.replace('_', '-')}={value}" for key, value in (named | more).items()])


TOPICS = ["deploy", "backup", "rollback", "benchmark", "cleanup", "coverage", "fixture", "docker", "nightly", "vendor"]


async def test_a_correction_holds_through_new_servers_the_archive_and_the_other_door(home: Home) -> None:
    def about(topic: str, text: str) -> str:
        return text.replace("deploy", topic).replace("ship", topic)

    wrong = {topic: about(topic, WRONG) for topic in TOPICS}
    shapes = dict(zip(TOPICS, [shape for shape in SHAPES for _ in range(2)], strict=True))
    right = {topic: [about(topic, said) for _, said, _ in SHAPES[shapes[topic]][-1:] if said] for topic in TOPICS}
    async with session(home, cwd=home.repo) as agent:
        await note(agent, NEIGHBOUR)
        old = {topic: (await note(agent, text))["id"] for topic, text in wrong.items()}
        for n, (topic, text) in enumerate(wrong.items()):
            assert await texts(agent, topic) == [text]
            for verb, said, more in SHAPES[shapes[topic]]:
                await correct(home if n % 2 else agent, old[topic], verb, about(topic, said), more)
    assert command(home, "archive", "--apply").ok
    async with session(home, cwd=home.repo) as agent:
        for topic, text in wrong.items():
            assert await texts(agent, topic) == right[topic]
            shown = [hit["state"] for hit in await agent.hits(topic, include=["superseded", "archived"]) if hit["text"] == text]
            assert shown == ["superseded" if right[topic] else "retracted"], topic
            lineage = (await agent.good("memory_history", id=old[topic]))["lineage"]
            assert (lineage[0]["id"], lineage[0]["text"]) == (old[topic], text)
            assert [row["text"] == text for row in lineage] == ([True, False] if right[topic] else [True]), topic
            if shapes[topic] == "bounded":
                assert await texts(agent, topic, valid_at="2025-06-01") == [lineage[1]["text"]]
            told(home, "reject", f"--text={text}", "--reason=found wrong")  # only that keeps a value out: TRUST-23
        before = tree(home.store, home.repo)
        for n, text in enumerate(wrong.values()):  # by the door that it was not corrected by
            if n % 2:
                again = await agent.call("add_memory", kind="note", name="x", collection="work", text=text)
            else:
                again = command(home, "add", text, "--kind=note", "--name=x", "--collection=work")
            assert again.code == "PREVIOUSLY_REJECTED", again.text
        assert tree(home.store, home.repo) == before
        assert await texts(agent, "harbour crane") == [NEIGHBOUR]
    found = [hit["text"] for hit in told(home, "search", "harbour", *TOPICS, "--limit=50")["hits"]]
    assert sorted(found) == sorted([NEIGHBOUR, *(said for left in right.values() for said in left)])


# -- 8 and 9: rejected values ----------------------------------------------------------------------------------------

SPELLINGS = {
    "as it was": WRONG,
    "case": WRONG.upper(),
    "spacing": "  The  deploy\tscript lives in\u00a0 tools/ship.sh ",
    "full-width": "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in WRONG),
    "zero-width": "The de\u200bploy scr\u2060ipt lives in tools/ship.sh.",
    "Cyrillic": "Th\u0435 d\u0435\u0440l\u043e\u0443 s\u0441ri\u0440t lives in tools/ship.sh.",
    "Greek": "The depl\u03bfy script li\u03bdes in t\u03bf\u03bfls/ship.sh.",
    "emphasis": f"**{WRONG}**",
    "one line of several": f"About deploying:\n- {WRONG}",
}


@pytest.mark.parametrize("by", ["agent", "person"])
async def test_a_rejected_value_stays_out_by_every_door_and_spelling_until_a_person_lifts_it(home: Home, by: str) -> None:
    async with session(home, cwd=home.repo) as agent:
        wrong = (await note(agent, WRONG))["id"]
        beside = await note(agent, NEIGHBOUR)
        if by == "agent":
            await agent.good("review_memory", id=wrong, action="reject", reason="never existed")
        else:
            told(home, "reject", wrong, "--reason", "never existed")
        file, etag = beside["file"], (await agent.good("get_project_memories", file=beside["file"]))["etag"]
        content = (home.store / "notes" / "work" / "x.md").read_text()
        before = tree(home.store, home.repo)
        for how, text in [*SPELLINGS.items()][by == "person" :: 2]:  # every door for each, after one of the two
            line = f"{content}- {text.strip()}\n".replace("\n- The", "\n  - The")
            for tool, more in (
                ("add_memory", {"kind": "note", "name": "x", "collection": "work", "text": text}),
                ("add_memory", {"kind": "concept", "name": "deploying", "text": text}),
                ("add_memory", {"kind": "preference", "name": "x", "text": text, "source": "user"}),
                ("add_memory", {"kind": "fact", "name": "x", "text": text, "evidence": "run 7"}),  # the project's store
                ("add_memory", {"kind": "staging", "name": "x", "text": text}),
                ("add_memory", {"kind": "workflow", "name": "x", "text": text}),
                ("add_memory", {"kind": "note", "name": "y", "collection": "work", "text": text, "supersedes": beside["id"]}),
                ("add_memory", {"kind": "note", "name": "y", "collection": "work", "text": text, "expires_at": "2020-01-01"}),
                ("revise_memory", {"id": beside["id"], "text": text}),
                ("revise_memory", {"file": file, "insert": text}),
                ("revise_memory", {"file": file, "content": line, "base": etag}),
            ):
                answer = await agent.call(tool, **more)
                assert answer.code == "PREVIOUSLY_REJECTED", (how, tool, more, answer.text)
            again = command(home, "add", text, "--kind=note", "--name=x", "--collection=work")
            assert again.code == "PREVIOUSLY_REJECTED", (how, again.text)
        assert command(home, "revise", beside["id"], WRONG).code == "PREVIOUSLY_REJECTED"
        assert (await agent.call("review_memory", id=wrong, action="lift", reason="was right")).code == "NEEDS_PERSON"
        assert (await agent.call("review_memory", id=wrong, action="lift")).code == "BAD_REQUEST"  # no reason
        assert tree(home.store, home.repo) == before
        assert await texts(agent, "deploy script ship") == []
        assert await texts(agent, "harbour crane") == [NEIGHBOUR]
        await note(agent, "To ship, run the script that is kept among the tools.")  # a paraphrase is another statement
        assert (await agent.good("revise_memory", id=beside["id"], text="The harbour crane is blue."))["op"] == "revised"
        assert told(home, "lift", wrong, "--reason", "it is there after all")["op"] == "lifted"
        again = await note(agent, WRONG)
        assert again["id"] in [hit["id"] for hit in await agent.hits("deploy script")]


async def test_a_rejected_value_is_laundered_by_neither_an_agent_nor_age_nor_hand_nor_a_new_server(home: Home) -> None:
    async with session(home) as agent:
        wrong = (await note(agent, WRONG))["id"]
        beside = (await note(agent, NEIGHBOUR))["id"]
        await agent.good("review_memory", id=wrong, action="reject", reason="wrong")
        before = tree(home.store)
        right = "The deploy script is gone."
        for code, tool, more in (
            ("NOT_FOUND", "add_memory", {"kind": "note", "name": "x", "collection": "work", "text": right, "supersedes": wrong}),
            ("NOT_FOUND", "revise_memory", {"id": wrong, "text": WRONG}),
            ("NOT_FOUND", "review_memory", {"id": wrong, "action": "confirm"}),
            ("NOT_FOUND", "review_memory", {"id": wrong, "action": "verify", "evidence": "run 7"}),
            ("PREVIOUSLY_REJECTED", "add_memory", {"kind": "scratch", "name": "x", "text": WRONG}),
        ):
            answer = await agent.call(tool, **more)
            assert answer.code == code, (tool, more, answer.text)
        assert tree(home.store) == before
    assert command(home, "archive", "--apply").ok
    everything = ["staging", "archived", "superseded", "rejected"]
    async with session(home) as agent:
        (kept,) = await agent.hits("deploy script", include=everything)  # no second entry, no candidate
        assert (kept["id"], kept["trust"]) == (wrong, "rejected")
        file = home.store / "notes" / "work" / "x.md"
        settled(file, file.read_bytes() + f"- {WRONG}\n- The deploy lock is a file.\n".encode())
        assert await texts(agent, "deploy") == ["The deploy lock is a file."]
        said = [hit for hit in await agent.hits("deploy script", include=["rejected"]) if hit["text"] == WRONG]
        (typed,) = [hit for hit in said if hit["id"] != wrong]
        assert (await agent.call("review_memory", id=typed["id"], action="confirm")).code == "NEEDS_PERSON"
        await agent.call("review_memory", id=typed["id"], action="verify", evidence="run 7")
        assert [hit["id"] for hit in await agent.hits("harbour crane")] == [beside]
    assert [hit["text"] for hit in told(home, "search", "deploy")["hits"]] == ["The deploy lock is a file."]
    problems = command(home, "doctor", "--json").data["problems"]
    assert [problem["where"].rpartition("#")[2] for problem in problems if "rejected value" in problem["what"]] == [typed["id"]]


# -- 12: ADD, UPDATE, NOOP, CONFLICT ---------------------------------------------------------------------------------


async def test_what_is_added_is_new_an_update_the_same_or_a_conflict(home: Home) -> None:
    async with session(home, cwd=home.repo) as agent:

        async def add(text: str, name: str = "x", **more: Any) -> dict[str, Any]:
            return await agent.good("add_memory", kind="fact", name=name, text=text, **more)

        first = await add(PORTS[0])
        assert first["op"] == "added"
        before = tree(home.store, home.repo)
        for text, name in ((PORTS[0], "x"), ("the API  LISTENS on port 8081.", "x"), (PORTS[0], "y")):
            same = await add(text, name)
            assert (same["op"], same["id"]) == ("noop", first["id"])
        assert tree(home.store, home.repo) == before
        other = await add(PORTS[1], "y")
        assert other["op"] == "conflict"
        assert {hit["id"]: (hit["state"], hit["labels"]) for hit in await agent.hits("API port")} == {
            first["id"]: ("conflicted", [f"conflict:{other['id']}"]),
            other["id"]: ("conflicted", [f"conflict:{first['id']}"]),
        }
        guessed = await add("The worker keeps 4 threads.")
        reported = await add("The worker keeps 8 threads.", source="user")
        verified = await add("The worker keeps 9 threads.", evidence="run 7")
        confirmed = told(home, "add", "The worker keeps 16 threads.", "--kind", "fact", "--name", "x")
        assert [done["op"] for done in (guessed, reported, verified, confirmed)] == ["added", *["updated"] * 3]
        assert await texts(agent, "worker threads") == ["The worker keeps 16 threads."]
        lineage = (await agent.good("memory_history", id=reported["id"]))["lineage"]
        assert [row["id"] for row in lineage] == [done["id"] for done in (guessed, reported, verified, confirmed)]
        assert (await add("The worker keeps 32 threads.", source="user"))["op"] == "conflict"


def listens(n: int, port: int) -> str:
    return f"The gate {n} service listens on port {port}."


async def pair(agent: Session, n: int, second: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """Two notes in conflict: ports 81 and 90."""
    one, two = await note(agent, listens(n, 81), f"p{n}"), await note(agent, listens(n, 90), second or f"p{n}")
    assert (one["op"], two["op"]) == ("added", "conflict")
    return one, two


DISPOSITIONS = {"keep-this": [81], "keep-other": [90], "keep-both": [81, 90], "retract-both": [], "new-text": [70]}


async def test_a_conflict_stays_listed_until_a_person_disposes_of_it(home: Home) -> None:
    async with session(home) as agent:
        pairs = [await pair(agent, n) for n in range(len(DISPOSITIONS))]
        await note(agent, "Low ones need root.", "p0")
        listed = [(row["a"]["id"], row["b"]["id"]) for row in told(home, "conflicts")]
        assert sorted(listed) == sorted((one["id"], two["id"]) for one, two in pairs)
        for n, ((one, two), (disposition, ports)) in enumerate(zip(pairs, DISPOSITIONS.items(), strict=True)):
            left = [listens(n, port) for port in ports]
            ended = ("superseded" if left else "retracted", "looked it up")
            text = listens(n, 70) if disposition == "new-text" else ""
            before = tree(home.store)
            answer = await agent.call("review_memory", id=one["id"], action="resolve", disposition=disposition, text=text)
            assert answer.code == "NEEDS_PERSON"
            assert tree(home.store) == before
            new = [f"--text={text}"] if text else []
            assert told(home, "resolve", one["id"], disposition, *new, "--reason=looked it up")["op"] == "resolved"
            trust = "derived" if disposition == "keep-both" else "confirmed"
            found = {hit["text"]: (hit["state"], hit["trust"]) for hit in await agent.hits(f"gate {n} listens", limit=100)}
            assert {said: found[said] for said in found if f"gate {n}" in said} == dict.fromkeys(left, ("active", trust))
            rows = [row for one in (one, two) for row in (await agent.good("memory_history", id=one["id"]))["lineage"]]
            lost = {listens(n, 81), listens(n, 90)} - {*left}
            assert {row["text"]: (row["state"], row["why"]) for row in rows if row["text"] in lost} == dict.fromkeys(lost, ended)
            before = tree(home.store)
            for said in left:
                assert (await note(agent, said, f"p{n}"))["op"] == "noop"
            assert tree(home.store) == before
        assert told(home, "conflicts") == []
        assert await texts(agent, "root") == ["Low ones need root."]


async def test_nothing_that_an_agent_does_takes_a_conflict_off_the_list(home: Home) -> None:
    async with session(home) as agent:
        for n, (tool, more) in enumerate((
            ("delete_memory", {}),
            ("review_memory", {"action": "reject", "reason": "wrong"}),
            ("review_memory", {"action": "verify", "evidence": "run 7"}),
            ("revise_memory", {"text": "The gate opens late."}),
            ("revise_memory", {"content": "- The gate opens late.\n"}),
            ("add_memory", {"kind": "note", "name": "x", "collection": "work", "text": "It is documented."}),
        )):  # fmt: skip
            one, two = await pair(agent, n)
            given: dict[str, Any] = {**more, "supersedes" if tool == "add_memory" else "id": two["id"]}
            if "content" in more:  # the whole file, without the flags
                rows = (await agent.good("get_project_memories", file=two["file"]))["entries"]
                kept = "".join(f"- {row['text']} <!-- m:{row['id']} -->\n" for row in rows)
                given = {"content": more["content"] + kept, "file": two["file"], "base": two["etag_after"]}
            await agent.good(tool, **given)
    assert len(told(home, "conflicts")) == 6
    assert command(home, "resolve", one["id"], "keep-neither-nor").code == "BAD_REQUEST"
    told(home, "resolve", one["id"], "keep-this")
    assert len(told(home, "conflicts")) == 5


SAID_AGAIN = [
    # disposition, the port that lost, the file of the second text, the door that the loser comes back by
    ("keep-this", 90, "", "add"),
    ("keep-other", 81, "", "add"),
    ("keep-this", 90, "", "insert"),
    ("new-text", 90, "", "add"),
    ("new-text", 81, "", "add"),
    ("keep-this", 90, "other", "add"),
    ("keep-this", 90, "", "id"),
    ("keep-this", 90, "", "content"),
    ("keep-this", 90, "", "winner"),
    ("keep-this", 90, "other", "winner"),
    ("keep-this", 90, "", "supersedes"),
    ("keep-this", 90, "", "instead"),
    ("new-text", 81, "", "winner"),
]


async def test_a_text_that_lost_a_conflict_is_refused_when_an_agent_says_it_again(home: Home) -> None:
    seen = []
    async with session(home, person=Person(True)) as agent:
        for n, (disposition, lost, second, door) in enumerate(SAID_AGAIN):
            one, _ = await pair(agent, n, second)
            beside = await note(agent, f"The pier {n} is long.", f"p{n}")
            new = {"text": listens(n, 70)} if disposition == "new-text" else {}
            await agent.good("review_memory", id=one["id"], action="resolve", disposition=disposition, **new)
            whole = await agent.good("get_project_memories", file=beside["file"])

            async def say(text: str, door: str = door, where: str = second or f"p{n}", whole: Any = whole, beside: Any = beside, one: Any = one) -> Any:
                file = {"file": whole["file"], "base": whole["etag"]}
                others = "".join(line for line in whole["content"].splitlines(True) if one["id"] not in line)
                filed = {"kind": "note", "name": where, "collection": "work", "text": text}
                tool, given = {
                    "add": ("add_memory", filed),
                    "supersedes": ("add_memory", {**filed, "supersedes": one["id"]}),
                    "winner": ("revise_memory", {"id": one["id"], "text": text}),
                    "instead": ("revise_memory", {**file, "content": f"{others}- {text}\n"}),
                    "insert": ("revise_memory", {**file, "insert": text}),
                    "id": ("revise_memory", {"id": beside["id"], "text": text}),
                    "content": ("revise_memory", {**file, "content": f"{whole['content']}- {text}\n"}),
                }[door]
                return await agent.call(tool, **given)

            before = tree(home.store)
            code = (await say(listens(n, lost))).code
            seen.append((code, tree(home.store) == before))
            if code:
                assert (await say(f"A gull sits at {n}.")).ok
    assert dict(zip(SAID_AGAIN, seen, strict=True)) == dict.fromkeys(SAID_AGAIN, ("CONTRADICTION", True))


async def test_a_bullet_that_revise_brings_into_a_file_is_weighed_like_one_that_is_added(home: Home) -> None:
    states = {}
    async with session(home) as agent:
        for n, door in enumerate(("insert", "content")):
            one = await note(agent, listens(n, 81), f"p{n}")
            whole = await agent.good("get_project_memories", file=one["file"])
            new = {"insert": listens(n, 90), "content": f"{whole['content']}- {listens(n, 90)}\n"}[door]
            await agent.good("revise_memory", file=one["file"], base=whole["etag"], **{door: new})
            states[door] = [row["state"] for row in (await agent.good("get_project_memories", file=one["file"]))["entries"]]
    assert states == dict.fromkeys(("insert", "content"), ["conflicted"] * 2)


# -- a person's voice ------------------------------------------------------------------------------------------------


async def judged(agent: Session, confirmed: str) -> list[tuple[str, dict[str, str], list[str]]]:
    """What only a person may do, and what they have to be shown for each."""
    done = await note(agent, "The ferry has two decks.", "n", source="user")
    wrong = await note(agent, WRONG)
    await agent.good("review_memory", id=wrong["id"], action="reject", reason="never existed")
    one, two = [await note(agent, text, "p") for text in PORTS]
    decide = {"id": two["id"], "action": "resolve", "disposition": "keep-this"}
    return [
        ("confirmed", {"id": done["id"], "action": "confirm"}, ["The ferry has two decks.", done["address"]]),
        ("lifted", {"id": wrong["id"], "action": "lift", "reason": "it is there"}, [WRONG, "never existed"]),
        ("resolved", decide, [*PORTS, one["address"], two["address"], "keep-this"]),
        ("rejected", {"id": confirmed, "action": "reject", "reason": "gone"}, ["Gulls nest on the pier.", confirmed]),
    ]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("agrees", [True, False, None])
async def test_a_person_is_asked_through_the_host_and_what_they_say_counts(home: Home, mode: str, agrees: bool | None) -> None:
    confirmed = "0123456789ab"
    settled(home.store / "notes" / "work" / "g.md", f"- Gulls nest on the pier. <!-- m:{confirmed} trust=confirmed -->\n".encode())
    person = None if agrees is None else Person(agrees)
    async with session(home, mode=mode, person=person) as agent:
        for n, (op, call, shown) in enumerate(await judged(agent, confirmed)):
            before = tree(home.store)
            answer = await agent.call("review_memory", **call)
            assert answer.code == ("" if agrees else "NEEDS_PERSON"), (op, answer.text)
            assert (tree(home.store) == before) == (not agrees), op
            if agrees:
                assert answer.data["op"] == op
            if person is not None:
                assert len(person.asked) == n + 1
                assert [part for part in shown if part not in person.asked[-1]] == []
        found = {hit["text"]: (hit["state"], hit["trust"]) for hit in await agent.hits("ferry gulls API")}
        gulls, ferry = ("active", "confirmed"), ("active", "confirmed" if agrees else "reported")
        assert found.pop("The ferry has two decks.") == ferry
        if agrees:
            assert found == {PORTS[1]: ("active", "confirmed")}
        else:
            assert found == {"Gulls nest on the pier.": gulls, **dict.fromkeys(PORTS, ("conflicted", "derived"))}
        again = await agent.call("add_memory", kind="note", name="x", collection="work", text=WRONG)
        assert again.code == ("" if agrees else "PREVIOUSLY_REJECTED")


class Meddler(Person):
    """Agrees; meanwhile, once, somebody saves over what they are asked about."""

    meanwhile: Callable[[], Any] | None = None

    async def __call__(self, context: Any, question: Any) -> ElicitResult:
        if self.meanwhile is not None:
            self.meanwhile()
            self.meanwhile = None
        return await super().__call__(context, question)


def swap(file: Path, old: str, new: str) -> Callable[[], None]:
    return lambda: settled(file, file.read_bytes().replace(old.encode(), new.encode()))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_consent_to_one_text_is_no_consent_to_what_stands_there_by_now(home: Home, mode: str) -> None:
    person, work = Meddler(True), home.store / "notes" / "work"
    async with session(home, mode=mode, person=person) as agent:
        confirm, lift, resolve = (await judged(agent, ""))[:3]
        for (op, call, _), file, old, new in (
            (confirm, work / "n.md", "two decks", "four decks"),
            (lift, home.store / "REJECTED.md", "never existed", "it holds a trap"),
            (resolve, work / "p.md", "8081", "8082"),  # the other one of the two
        ):
            person.meanwhile = swap(file, old, new)
            answer = await agent.call("review_memory", **call)
            assert answer.code == "CHANGED_UNDERNEATH", (op, answer.text)
            assert old in person.asked[-1]
            assert new in file.read_text()
            before = tree(home.store)
            person.agrees = False
            assert (await agent.call("review_memory", **call)).code == "NEEDS_PERSON"
            assert tree(home.store) == before
            person.agrees = True
            assert (await agent.good("review_memory", **call))["op"] == op  # asked about what is there now
            assert new in person.asked[-1]
        gone = await note(agent, NEIGHBOUR, "gone")
        person.meanwhile = (work / "gone.md").unlink
        answer = await agent.call("review_memory", id=gone["id"], action="confirm")
        assert answer.code in ("CHANGED_UNDERNEATH", "NOT_FOUND"), answer.text  # auto looks once more before it acts
        assert not (work / "gone.md").exists()


async def test_consent_covers_no_more_of_a_long_text_than_the_person_was_asked_about(home: Home) -> None:
    person, file = Meddler(True), home.store / "notes" / "work" / "x.md"
    async with session(home, person=person) as agent:
        done = await note(agent, "The ferry is slow. " * 40 + "The end is harmless.")
        person.meanwhile = swap(file, "harmless", "poisoned")
        answer = await agent.call("review_memory", id=done["id"], action="confirm")
        assert answer.code == "CHANGED_UNDERNEATH", answer.text
        assert "trust=confirmed" not in file.read_text()
        assert (await agent.good("review_memory", id=done["id"], action="confirm"))["op"] == "confirmed"


class Closing(Person):
    """The first question ends in an error of the host."""

    async def __call__(self, context: Any, question: Any) -> Any:
        answer = await super().__call__(context, question)
        return ErrorData(code=-32000, message="the window was closed") if len(self.asked) == 1 else answer


async def test_a_question_that_the_host_failed_to_put_is_asked_anew_about_what_is_there_now(home: Home) -> None:
    person, file = Closing(True), home.store / "notes" / "work" / "x.md"
    async with session(home, person=person) as agent:
        done = await note(agent, "The ferry has two decks.")
        with pytest.raises(MCPError, match="the window was closed"):
            await agent.call("review_memory", id=done["id"], action="confirm")
        assert "trust=confirmed" not in file.read_text()
        swap(file, "two decks", "four decks")()
        answer = await agent.call("review_memory", id=done["id"], action="confirm")
        assert "four decks" in person.asked[-1]
        assert answer.ok, answer.text


# -- 17: what is not believed ----------------------------------------------------------------------------------------


async def test_what_is_not_believed_is_in_no_default_search_and_is_labelled_where_asked_for(home: Home) -> None:
    settled(home.store / "reflections" / "2026-01-05.md", b"# Monday <!-- m:00000000000a -->\n\nBeacon zero burns.\n")
    async with session(home) as agent:
        assert await texts(agent, "beacon burns") == ["Beacon zero burns."]
        assert command(home, "archive", "--apply").ok
        active = (await note(agent, "Beacon one burns.", "a"))["id"]
        gone = {
            "candidate": (await agent.good("add_memory", kind="staging", name="x", text="Beacon two burns."))["id"],
            "rejected": (await note(agent, "Beacon three burns.", "c"))["id"],
            "superseded": (await note(agent, "Beacon four burns.", "d"))["id"],
            "expired": (await note(agent, "Beacon five burns.", "e", expires_at="2020-01-01"))["id"],
            "retracted": (await note(agent, "Beacon six burns.", "f"))["id"],
        }
        await agent.good("review_memory", id=gone["rejected"], action="reject", reason="wrong")
        await note(agent, "A lamp came instead.", "d", supersedes=gone["superseded"])
        await agent.good("delete_memory", id=gone["retracted"])
        assert [hit["id"] for hit in await agent.hits("beacon burns")] == [active]
        assert await texts(agent, "lamp") == ["A lamp came instead."]
        for include, states in {
            "staging": {gone["candidate"]: ("active", "candidate")},
            "superseded": {gone["superseded"]: ("superseded", "derived")},
            "rejected": {gone["rejected"]: ("retracted", "rejected")},
            "archived": {
                gone["expired"]: ("expired", "derived"),
                gone["retracted"]: ("retracted", "derived"),
                "00000000000a": ("archived", "derived"),
            },
        }.items():
            found = {hit["id"]: (hit["state"], hit["trust"]) for hit in await agent.hits("beacon burns", include=[include])}
            assert found.pop(active) == ("active", "derived")
            assert found == states, include
