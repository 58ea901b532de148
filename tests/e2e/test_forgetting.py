"""Forgotten is gone: every copy of a text out of every file, nothing beside it touched, and it does not come back; number
24 of REQUIREMENTS.md and TRUST-24."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from door import Answer, Home, Session, command, session, settled, tree

pytestmark = pytest.mark.anyio

CANARY = "quillfeather"
SAID = "The gate key lives in keys/quillfeather.toml."
FIRST = "Someone at quillfeather knows about the key."
SECOND = "A spare was cut by quillfeather in spring."
RIVAL = "The gate key lives in keys/sandpiper.toml."
NEIGHBOUR = "The harbour crane is painted green."
HAND = b"\xef\xbb\xbf# Hand\r\n\r\n* Gulls \xff nest here.\r\n* THE GATE KEY  lives in keys/Quillfeather.toml\r\n1. Terns, too.\r\n<!-- mine -->"
DAY = re.compile(r"\d{4}-\d\d-\d\d\.md")
OUTSIDE = "What a person wrote here stays.\n\n"


def needles() -> Iterator[bytes]:
    """The canary as it may stand in a file: UTF-8 or UTF-16, plain or, at each of three offsets, in base64."""
    for text in (CANARY, CANARY.capitalize(), CANARY.upper()):
        for code in ("utf-8", "utf-16-le", "utf-16-be"):
            data = text.encode(code)
            yield data
            for offset in range(3):
                start, end = -(-offset * 8 // 6), (offset + len(data)) * 8 // 6
                yield base64.b64encode(b"\0" * offset + data)[start:end]


NEEDLES = tuple(needles())


def holding(root: Path) -> set[str]:
    """Every file below a folder that holds the canary in its bytes or its name."""
    files = [path for path in root.rglob("*") if path.is_file()]
    found = [path for path in files if CANARY in path.name or any(map(path.read_bytes().__contains__, NEEDLES))]
    return {path.relative_to(root).as_posix().replace(".agents/memory/", "") for path in found}


def memories(home: Home) -> dict[str, bytes]:
    """Every markdown file of both stores, by address."""
    stores = {"user": home.store, "heron": home.repo / ".agents" / "memory"}
    return {
        f"{label}/{path.relative_to(root).as_posix()}": path.read_bytes()
        for label, root in stores.items()
        for path in root.rglob("*.md")
    }


async def note(agent: Session, text: str, name: str = "keys", **more: Any) -> dict[str, Any]:
    return await agent.good("add_memory", kind="note", name=name, collection="work", text=text, **more)


async def forget(agent: Session, which: str, **more: Any) -> Answer:
    return await agent.call("delete_memory", id=which, mode="forget", **more)


def named(receipt: dict[str, Any]) -> set[str]:
    """The addresses that a receipt says quote the text still."""
    return {line.split(" quotes it")[0] for line in receipt["unreached"] if " quotes it" in line}


async def spread(home: Home, agent: Session) -> str:
    """The canary in every place that a text gets into; the one id that it is forgotten by."""
    await note(agent, NEIGHBOUR)
    old = (await note(agent, "The quay was paved in May."))["id"]
    await agent.good("revise_memory", id=old, text="The quay was paved in June.")
    wanted = (await note(agent, FIRST))["id"]
    await agent.good("revise_memory", id=wanted, text=SECOND)
    whole = await agent.good("get_project_memories", file="user/notes/work/keys.md")
    await agent.good("revise_memory", file=whole["file"], base=whole["etag"], content=whole["content"].replace(SECOND, SAID))
    assert (await note(agent, RIVAL))["op"] == "conflict"
    for kind, more in (
        ("concept", {}), ("fact", {}), ("staging", {}), ("staging", {"store": "user"}), ("scratch", {}), ("preference", {}),
    ):  # fmt: skip
        done = await agent.good("add_memory", kind=kind, name="twins", text=SAID, **more)
        beside = f"Beside it stands a {kind}."
        if kind == "concept":
            await agent.good("revise_memory", file=done["file"], insert=beside, base=done["etag_after"])
        else:
            await agent.good("add_memory", kind=kind, name="twins", text=beside, **more)
    await agent.good("delete_memory", id=done["id"])  # a twin that has ended
    await agent.good("add_memory", kind="log", text=f"Asked the warden\nThey said: {SAID} Then we left.")
    await agent.good("add_memory", kind="log", text=f"Fed the gulls\nAs long ago: {FIRST}\nAll of them.")
    await agent.good("add_memory", kind="log", store="user", text=f"Cleaned up\n{SAID.upper()}")
    await agent.good("add_memory", kind="lesson", name="x", text="Ask before the tide.", source=wanted, evidence=f"user/notes/work/keys.md#{wanted}")
    await agent.good("add_memory", kind="lesson", name="x", text="Bring a lamp along.", source=wanted, evidence="run 7")
    await agent.good("add_memory", kind="workflow", name="opening", text=f"1. Walk to the gate.\n2. {SAID}\n3. Open it.")
    shut = (await agent.good("add_memory", kind="workflow", name="shutting", text=f"Walk back.\n\n{SAID}\n\nShut it."))["id"]
    await agent.good("delete_memory", id=shut)
    await agent.good("add_memory", kind="entity", name="warden", text=f"The warden likes to say: {SAID}")
    settled(home.store / "REJECTED.md", OUTSIDE.encode())
    for text in (SECOND, "The moon is made of cheese."):
        assert command(home, "reject", f"--text={text}", "--reason=not so", cwd=home.repo).ok
    settled(home.store / "notes" / "work" / "hand.md", HAND)
    return wanted


PLACES = {
    "home/notes/work/keys.md", "home/notes/work/hand.md", "home/.archive/notes/work/keys.md", "home/.archive/preferences/twins.md",
    "home/concepts/twins.md", "home/staging/twins.md", "home/notes/scratch/twins.md", "home/workflows/opening.md",
    "home/.archive/workflows/shutting.md", "home/entities/warden.md", "home/DAY.md", "home/REJECTED.md",
    "heron/facts/twins.md", "heron/staging/twins.md", "heron/DAY.md",
}  # fmt: skip
QUOTING = {"home/.archive/workflows/shutting.md", "home/entities/warden.md"}


def without(address: str, data: bytes) -> bytes | None:
    """What becomes of a file's bytes: logs say (forgotten), lines of copies are gone, all else stays."""
    if DAY.search(address):
        return re.sub("|".join(map(re.escape, (SAID, FIRST))).encode(), b"(forgotten)", data, flags=re.I)
    if address in ("user/entities/warden.md", "user/.archive/workflows/shutting.md"):
        return data
    if address == "user/REJECTED.md":
        return data.replace(SECOND.encode(), b"(forgotten)")
    lines = [line for line in data.splitlines(keepends=True) if CANARY.encode() not in line.lower()]
    return b"".join(lines) or None


def added(address: str, data: bytes) -> bytes:
    """A file's bytes but for the rows of what was forgotten now, and the flag on what rested on it."""
    if address.startswith("heron/lessons/"):
        return re.sub(rb"(Ask before the tide\..*) unsupported=\S+ -->", rb"\1 -->", data)
    return re.sub(rb"\| \(forgotten\) \| asked to \| agent .*\n", b"", data)


async def test_one_id_takes_every_copy_out_of_every_file_and_no_other_byte(home: Home) -> None:
    everything = ["staging", "archived", "superseded", "rejected"]
    async with session(home, cwd=home.repo) as agent, session(home, cwd=home.repo) as other:
        wanted = await spread(home, agent)
        assert {DAY.sub("DAY.md", path) for path in holding(home.root)} == PLACES
        assert len(await other.hits(CANARY, include=everything, limit=100)) > 12
        before = memories(home)
        done = await agent.good("delete_memory", id=wanted, mode="forget", reason="asked to")
        after = memories(home)
        assert after.pop("heron/REJECTED.md").count(b"| asked to | agent |") == 3  # where a copy was, it stays out too
        assert holding(home.root) == QUOTING
        assert {where: added(where, data) for where, data in after.items()} == {
            where: left for where, data in before.items() if (left := without(where, data)) is not None
        }
        assert after["user/REJECTED.md"].count(b"| asked to | agent |") == 2  # the third was rejected before
        changed = {where for where in before if before[where] != after.get(where)}
        said = {word for line in (done["file"], *done["reasons"]) for word in re.findall(r"\S+\.md", line)}
        assert said - {"REJECTED.md"} == changed - {"user/REJECTED.md"}
        assert [line for line in done["reasons"] if line.startswith("redacted")] == [
            f"redacted in {where}" for where in sorted(changed) if DAY.search(where)
        ]
        marked = {hit["text"]: "unsupported" in hit["labels"] for hit in await agent.hits("tide lamp", kinds=["lesson"])}
        assert marked == {"Ask before the tide.": True, "Bring a lamp along.": False}
        assert [line for line in done["unreached"] if "git history of heron" in line]
        assert [line for line in done["unreached"] if "backups" in line]
        left = named(done)
        assert len(left) == len(QUOTING)
        for which in sorted(left):
            left.remove(which)
            assert named(await agent.good("delete_memory", id=which, mode="forget")) <= left
        assert holding(home.root) == set()
        assert await other.hits(CANARY, include=everything) == []
        assert [hit["text"] for hit in await other.hits("harbour crane")] == [NEIGHBOUR]
        told = command(home, "history", "--since=2020-01-01", "--json", cwd=home.repo)
        assert CANARY not in told.text
        assert {row["op"] for row in told.data["changes"] if row["id"] == wanted} >= {"added", "revised", "forgotten"}
        assert not (await agent.call("memory_history", id=wanted)).data.get("lineage")
        (open_,) = command(home, "conflicts", "--json", cwd=home.repo).data  # the rival waits for a person still
        assert command(home, "resolve", open_["a"]["id"], "keep-this", cwd=home.repo).ok
        assert command(home, "conflicts", "--json", cwd=home.repo).data == []
        assert [hit["state"] for hit in await agent.hits("sandpiper")] == ["active"]
        assert holding(home.root) == set()
    assert command(home, "doctor", "--audit", cwd=home.repo).ok


def test_the_search_for_bytes_finds_each_form_that_it_looks_for(tmp_path: Path) -> None:
    text = f"The {CANARY.capitalize()} of the gate."
    forms = [text.encode(code) for code in ("utf-8", "utf-16-le", "utf-16-be")]
    forms += [base64.b64encode(b"x" * n + form) for form in forms for n in range(6)]
    for n, form in enumerate(forms):
        (tmp_path / str(n)).write_bytes(form)
    (tmp_path / "none").write_bytes(b"The gate.")
    (tmp_path / f"{CANARY}.md").write_bytes(b"")
    assert holding(tmp_path) == {*map(str, range(len(forms))), f"{CANARY}.md"}


# -- it does not come back ---------------------------------------------------------------------------------------------

SPELLINGS = {
    "as it was": SAID,
    "an earlier text": SECOND,
    "the first text": FIRST,
    "case": SAID.upper(),
    "zero-width": SAID.replace("key", "k\u200bey"),
    "Cyrillic": SAID.replace("a", "\u0430").replace("e", "\u0435"),
    "emphasis": f"**{SECOND}**",
    "one line of several": f"About keys:\n- {FIRST}",
}


async def test_what_was_forgotten_comes_in_by_no_door_and_spelling_until_a_person_lifts_it(home: Home) -> None:
    async with session(home, cwd=home.repo) as agent:
        wanted = (await note(agent, FIRST))["id"]
        for text in (SECOND, SAID):
            await agent.good("revise_memory", id=wanted, text=text)
        beside = await note(agent, NEIGHBOUR)
        await agent.good("add_memory", kind="fact", name="x", text="Gulls nest on the pier.")
        await agent.good("delete_memory", id=wanted, mode="forget", reason="asked to")
    async with session(home, cwd=home.repo) as agent:
        whole = await agent.good("get_project_memories", file=beside["file"])
        before = tree(home.store, home.repo)
        seen = {}
        for how, text in SPELLINGS.items():
            line = f"{whole['content']}- {text}\n".replace("\n- Some", "\n  - Some")
            answers = [
                await agent.call("add_memory", kind="note", name="x", collection="work", text=text),
                await agent.call("add_memory", kind="fact", name="x", text=text),
                await agent.call("add_memory", kind="staging", name="x", text=text),
                await agent.call("add_memory", kind="workflow", name="x", text=text),
                await agent.call("revise_memory", id=beside["id"], text=text),
                await agent.call("revise_memory", file=whole["file"], insert=text),
                await agent.call("revise_memory", file=whole["file"], content=line, base=whole["etag"]),
            ]
            if how in ("as it was", "Cyrillic"):
                answers += [
                    command(home, "add", text, "--kind=note", "--name=x", "--collection=work"),
                    command(home, "revise", beside["id"], text),
                ]
            seen[how] = {answer.code for answer in answers} | {CANARY for answer in answers if CANARY in answer.text.lower()}
        assert seen == {how: {"PREVIOUSLY_REJECTED"} for how in SPELLINGS}
        lift = {"id": wanted, "action": "lift", "reason": "was right"}
        assert (await agent.call("review_memory", **lift)).code == "NEEDS_PERSON"
        assert tree(home.store, home.repo) == before
        assert holding(home.root) == set()
        assert command(home, "lift", wanted).code == "BAD_REQUEST"  # no reason
        assert command(home, "lift", wanted, "--reason=was right").ok
        for text in (SAID, SECOND, FIRST):
            assert (await note(agent, text))["op"] == "added"
        assert len(await agent.hits(CANARY)) == 3


# -- what may be forgotten, and by whom --------------------------------------------------------------------------------


async def test_what_has_ended_can_be_forgotten_and_an_id_that_is_no_more_is_not_found(home: Home) -> None:
    async with session(home) as agent:
        beside = await note(agent, NEIGHBOUR)
        for n, end in enumerate(("retract", "reject", "supersede")):
            wanted = (await note(agent, SAID, f"k{n}"))["id"]
            await agent.good("revise_memory", id=wanted, text=SECOND)
            if end == "retract":
                await agent.good("delete_memory", id=wanted)
            elif end == "reject":
                await agent.good("review_memory", id=wanted, action="reject", reason="not so")
            else:
                await note(agent, NEIGHBOUR.replace("green", "blue"), f"k{n}", supersedes=wanted)
            assert f"home/.archive/notes/work/k{n}.md" in holding(home.root)
            assert (await agent.call("get_project_memories", file=f"user/notes/work/k{n}.md")).ok
            done = await agent.good("delete_memory", id=wanted, mode="forget")
            assert (done["op"], done["id"], holding(home.root)) == ("forgotten", wanted, set()), end
            assert not (home.store / ".archive" / "notes" / "work" / f"k{n}.md").exists()
            before = tree(home.store)
            for which in (wanted, done["address"], "0" * 12, f"user/notes/work/k{n}.md#{'0' * 12}", "keys", "user/notes/work/keys.md"):
                assert (await forget(agent, which)).code == "NOT_FOUND", (end, which)
            assert tree(home.store) == before
            assert command(home, "lift", wanted, "--reason=next").ok
        assert (await agent.good("get_project_memories", file=beside["file"]))["etag"] == beside["etag_after"]
        assert (await forget(agent, beside["id"])).ok


async def test_a_reason_that_repeats_what_is_forgotten_is_refused(home: Home) -> None:
    async with session(home) as agent:
        wanted = (await note(agent, SAID))["id"]
        await agent.good("revise_memory", id=wanted, text=SECOND)
        before = tree(home.store)
        for reason in (f"It said: {SECOND}", SECOND.upper(), f"It said {SAID} once", SAID.replace("e", "\u0435")):
            answer = await forget(agent, wanted, reason=reason)
            assert (answer.code, CANARY in answer.text.lower()) == ("BAD_REQUEST", False), reason
            assert command(home, "delete", wanted, "--forget", f"--reason={reason}").code == "BAD_REQUEST", reason
        assert tree(home.store) == before
        assert (await forget(agent, wanted, reason="It said where the key is.")).ok
    assert holding(home.root) == set()


EPISODE = f"Context: a storm.\n\n{SAID}\n\nLesson: keep a spare."


async def test_only_a_person_forgets_what_is_frozen_and_only_in_reach(home: Home) -> None:
    async with session(home, cwd=home.repo) as agent:
        frozen = (await agent.good("add_memory", kind="episode", name="storm", text=EPISODE))["id"]
        logged = (await agent.good("add_memory", kind="log", text=f"Found the key\n{FIRST}"))["id"]
        before = tree(home.store, home.repo)
        assert (await forget(agent, frozen)).code == "FROZEN"
        assert tree(home.store, home.repo) == before
        assert (await agent.good("delete_memory", id=logged, mode="forget"))["op"] == "forgotten"
    far = home.root / "egret"
    (far / ".git").mkdir(parents=True)
    assert command(home, "projects", "--register=egret", f"--path={far}").ok
    async with session(home, cwd=far) as agent:
        assert (await forget(agent, frozen)).code == "NOT_FOUND"
        assert (await forget(agent, frozen, project="heron")).code == "FROZEN"
    async with session(home, "--project", str(far)) as agent:
        assert (await forget(agent, frozen, project="heron")).code == "OUT_OF_SCOPE"
    assert len(holding(home.root)) == 1
    answer = command(home, "delete", frozen, "--forget", "--project=heron", "--json")
    assert answer.ok, answer.text
    assert holding(home.root) == set()


STEPS = f"1. Walk to the gate.\n2. {SAID}\n3. Open it."
EARLIER = f"{SECOND}\n\nThen open it."


async def opening(agent: Session) -> str:
    """The id of a workflow that was written, revised and written again."""
    wanted = (await agent.good("add_memory", kind="workflow", name="opening", text=STEPS))["id"]
    await agent.good("revise_memory", id=wanted, text=EARLIER)
    await agent.good("revise_memory", id=wanted, text=STEPS)
    return wanted


@pytest.mark.parametrize("ended", [False, True])
async def test_a_whole_file_is_forgotten_with_its_past(home: Home, ended: bool) -> None:
    async with session(home) as agent:
        wanted = await opening(agent)
        other = await agent.good("add_memory", kind="workflow", name="shutting", text="1. Walk back.\n2. Shut it.")
        if ended:
            await agent.good("delete_memory", id=wanted)
        live = {"home/workflows/opening.md"}
        assert holding(home.root) == {"home/.archive/workflows/opening.md"} | (set() if ended else live)
        done = await agent.good("delete_memory", id=wanted, mode="forget")
        assert (done["op"], holding(home.root), named(done)) == ("forgotten", set(), set())
        assert not (home.store / "workflows" / "opening.md").exists()
        assert (await agent.good("get_project_memories", file=other["file"]))["etag"] == other["etag_after"]
        assert (await forget(agent, wanted)).code == "NOT_FOUND"
        assert (await note(agent, "Walk to the lamp."))["op"] == "added"


async def test_the_name_of_a_forgotten_file_is_free(home: Home) -> None:
    async with session(home) as agent:
        wanted = await opening(agent)
        beside = (await note(agent, "Opening"))["id"]
        await agent.good("delete_memory", id=wanted, mode="forget")
        assert [hit["id"] for hit in await agent.hits("opening")] == [beside]
        for kind in ("workflow", "persona"):
            assert (await agent.call("add_memory", kind=kind, name="opening", text="1. Knock.")).ok, kind


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("text", [STEPS, EARLIER])
async def test_a_whole_file_that_was_forgotten_does_not_come_back(home: Home, text: str, ended: bool) -> None:
    async with session(home) as agent:
        wanted = await opening(agent)
        if ended:
            await agent.good("delete_memory", id=wanted)
        await agent.good("delete_memory", id=wanted, mode="forget")
        before = tree(home.store)
        for name in ("opening", "again"):
            answer = await agent.call("add_memory", kind="workflow", name=name, text=text)
            assert answer.code == "PREVIOUSLY_REJECTED", name
        assert tree(home.store) == before
        assert (await agent.call("add_memory", kind="workflow", name="again", text="1. Knock.")).ok


# -- the disk ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("closed", ["user", "heron"])
async def test_forgetting_with_a_store_that_is_read_only_writes_nothing(home: Home, closed: str) -> None:
    root = home.store if closed == "user" else home.repo / ".agents" / "memory"
    async with session(home, cwd=home.repo) as agent:
        wanted = (await note(agent, SAID))["id"]
        await agent.good("add_memory", kind="fact", name="keys", text=SAID)
        await agent.good("add_memory", kind="log", store="user", text=f"Found it\n{SAID}")
        before = tree(home.store, home.repo)
        folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        try:
            answer = await forget(agent, wanted)
        finally:
            for folder in folders:
                folder.chmod(0o755)
        assert answer.code == "READ_ONLY", answer.text
        assert tree(home.store, home.repo) == before
        assert (await forget(agent, wanted)).ok
        assert holding(home.root) == set()


# -- what is left is named ---------------------------------------------------------------------------------------------

ARCHIVED, OTHER, COPY = "user/.archive/notes/work/other.md", "user/notes/work/other.md", "user/notes/work/keys.sync-conflict-1.md"
LEFT = [
    ("another entry", OTHER),
    ("an ended entry", ARCHIVED),
    ("why one ended", ARCHIVED),
    ("evidence", OTHER),
    ("source", OTHER),
    ("another name", OTHER),
    ("a reason", "user/REJECTED.md"),
    ("a title", OTHER),
    ("a heading", OTHER),
    ("a comment", OTHER),
    ("front matter", OTHER),
    ("a conflict copy", COPY),
]
TYPED = {
    "a title": f"# {SAID}\n\n- Terns.\n",
    "a heading": f"# X\n\n## {SAID}\n\n- Terns.\n",
    "a comment": f"- Terns.\n<!-- {SAID} -->\n",
    "front matter": f"---\nwhat: {SAID}\n---\n- Terns.\n",
    "a conflict copy": f"- {SAID}\n",
}
ARGUMENTS = {"evidence": {"evidence": f"heard: {SAID}"}, "source": {"source": f"heard: {SAID}"}, "another name": {"aliases": [SAID]}}


async def quote(home: Home, agent: Session, how: str, file: str) -> None:
    """The text in a place that is no copy of the entry."""
    if how in TYPED:
        settled(home.store / file.removeprefix("user/"), TYPED[how].encode())
        return
    text = f"They say: {SAID}" if "entry" in how else "Terns."
    other = (await note(agent, text, "other", **ARGUMENTS.get(how, {})))["id"]
    if how == "a reason":
        await agent.good("review_memory", id=other, action="reject", reason=f"No: {SAID}")
    elif file == ARCHIVED:
        await agent.good("delete_memory", id=other, reason=f"No: {SAID}" if how == "why one ended" else "")


@pytest.mark.parametrize(("how", "file"), LEFT)
async def test_what_holds_the_text_still_is_named_by_the_receipt(home: Home, how: str, file: str) -> None:
    async with session(home) as agent:
        wanted = (await note(agent, SAID))["id"]
        await quote(home, agent, how, file)
        here = file.replace("user/", "home/", 1)
        assert here in holding(home.root)
        done = await agent.good("delete_memory", id=wanted, mode="forget")
        assert "home/notes/work/keys.md" not in holding(home.root)
        assert here not in holding(home.root) or [line for line in done["unreached"] if line.startswith(file)]


async def test_who_forgets_what_the_receipt_names_is_rid_of_the_text(home: Home) -> None:
    async with session(home) as agent:
        wanted, other = (await note(agent, SAID))["id"], (await note(agent, f"They say: {SAID}", "other"))["id"]
        (left,) = named(await agent.good("delete_memory", id=wanted, mode="forget"))
        assert left.endswith(other)
        assert (await forget(agent, left)).ok
        assert holding(home.root) == set()


@pytest.mark.parametrize("text", [SAID, "PIN: 90417"])
async def test_a_log_shows_that_something_was_forgotten(home: Home, text: str) -> None:
    async with session(home) as agent:
        wanted = (await note(agent, text))["id"]
        quoting = await agent.good("add_memory", kind="log", text=f"Met the warden\nHe said: {text} And left.")
        beside = (await agent.good("add_memory", kind="log", text="Fed the gulls\nAll of them."))["id"]
        await agent.good("delete_memory", id=wanted, mode="forget")
        rows = (await agent.good("get_project_memories", file=quoting["file"]))["entries"]
        assert {row["id"]: row["text"].split("\n", 1)[1] for row in rows} == {
            quoting["id"]: "Met the warden\nHe said: (forgotten) And left.", beside: "Fed the gulls\nAll of them.",
        }  # fmt: skip


@pytest.mark.parametrize("kinds", [("note", "fact"), ("fact", "note")])
async def test_a_text_comes_back_into_no_store_that_a_copy_was_purged_from(home: Home, kinds: tuple[str, str]) -> None:
    places = {"note": {"kind": "note", "collection": "work", "name": "keys"}, "fact": {"kind": "fact", "name": "keys"}}
    async with session(home, cwd=home.repo) as agent:
        first, second = [(await agent.good("add_memory", text=SAID, **places[kind]))["id"] for kind in kinds]
        await agent.good("delete_memory", id=first, mode="forget")
        assert (await agent.call("memory_history", id=second)).data.get("lineage", []) == []
        assert (await agent.call("add_memory", text=SAID, **places[kinds[1]])).code == "PREVIOUSLY_REJECTED"
    stranger = home if kinds[1] == "note" else Colleague(home.root)
    async with session(stranger, cwd=home.home if kinds[1] == "note" else home.repo) as agent:
        assert (await agent.call("add_memory", text=SAID, **places[kinds[1]])).code == "PREVIOUSLY_REJECTED"


class Colleague(Home):
    """Another person on the same repository, with a user store of their own."""

    @property
    def home(self) -> Path:
        return self.root / "colleague"
