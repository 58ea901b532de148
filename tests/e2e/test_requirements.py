"""What REQUIREMENTS.md asks of the shipped door beyond the other files here: numbers 2, 3, 4, 7, 15, 16, 19 and 21."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from door import Answer, Home, Session, session, settled, tree
from mcp import Client, StdioServerParameters

from memshelf.domain.kinds import load

pytestmark = pytest.mark.anyio

MORTAL = """
import ctypes, os, sys
for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: root is then bound by a file's mode like anybody
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
os.execv(sys.executable, [sys.executable, "-m", "memshelf", "serve"])
"""


@asynccontextmanager
async def bound_by_modes(home: Home) -> AsyncIterator[Session]:
    """A server that may not read what its modes forbid, also where the tests run as root."""
    start = StdioServerParameters(command=sys.executable, args=["-c", MORTAL], env=home.env, cwd=str(home.home))
    async with Client(start, mode="auto") as client:
        yield Session(client)


# -- 2: identity -----------------------------------------------------------------------------------------------------


async def test_an_id_copied_to_another_file_is_refused_naming_both_places_until_one_is_gone(home: Home) -> None:
    async with session(home) as agent:
        done = await agent.good("add_memory", kind="note", name="x", collection="work", text="The harbour is open.")
        file = home.store / "notes" / "work" / "x.md"
        copy = home.store / "notes" / "sea" / "y.md"
        settled(copy, b"# Y\n\nIntro.\n\n" + file.read_bytes().splitlines(keepends=True)[-1])
        before = tree(home.store)
        for tool, more in (("delete_memory", {}), ("revise_memory", {"text": "y"})):
            answer = await agent.call(tool, id=done["id"], **more)
            assert answer.code == "BAD_REQUEST"
            assert "user/notes/work/x.md:3" in answer.text
            assert "user/notes/sea/y.md:5" in answer.text
        assert tree(home.store) == before
        kept = file.read_bytes()
        whole = f"user/notes/sea/y.md#{done['id']}"
        assert (await agent.good("delete_memory", id=whole))["address"] == whole  # the remedy that the refusal names
        assert file.read_bytes() == kept
        assert (await agent.good("delete_memory", id=done["id"]))["address"] == done["address"]


async def test_a_stale_address_leads_to_the_entry_where_it_stands_now_and_never_to_its_neighbour(home: Home) -> None:
    async with session(home) as agent:
        texts = [f"harbour fact number {n}" for n in ("one", "two", "three")]
        ids = [
            (await agent.good("add_memory", kind="note", name="x", collection="work", text=text))["id"]
            for text in texts
        ]
        file = home.store / "notes" / "work" / "x.md"
        head, blank, *rows = file.read_text().splitlines(keepends=True)
        settled(file, "".join((head, blank, *reversed(rows))).encode())  # sorted by hand: every line has another place
        done = await agent.good("revise_memory", id=f"user/notes/work/x.md#{ids[0]}", text="harbour fact one, reworded")
        assert done["id"] == ids[0]
        found = await agent.hits("harbour fact")
        assert {hit["id"]: hit["text"] for hit in found} == {
            ids[0]: "harbour fact one, reworded", ids[1]: texts[1], ids[2]: texts[2],
        }  # fmt: skip
        now = file.read_text().splitlines(keepends=True)
        assert now[:4] == [head, blank, rows[2], rows[1]]


# -- 3: containment --------------------------------------------------------------------------------------------------


async def test_an_entry_behind_a_link_out_of_the_store_cannot_be_read_reworded_or_taken_away(home: Home) -> None:
    outside = home.root / "outside"
    settled(outside / "x.md", b"- a canary outside <!-- m:0123456789ab -->\n")
    home.store.mkdir(parents=True)
    (home.store / "notes").symlink_to(outside)
    (home.store / "concepts").mkdir()
    (home.store / "concepts" / "x.md").symlink_to(outside / "x.md")
    settled(home.store / "entities" / "x.md", b"- a canary inside <!-- m:ba9876543210 -->\n")
    before = tree(home.root)
    async with session(home) as agent:
        assert [hit["id"] for hit in await agent.hits("canary")] == ["ba9876543210"]
        for path in ("notes/x.md", "concepts/x.md"):
            for tool, arguments in (
                ("delete_memory", {"id": f"user/{path}#0123456789ab"}),
                ("revise_memory", {"id": f"user/{path}#0123456789ab", "text": "y"}),
                ("revise_memory", {"file": f"user/{path}", "insert": "y"}),
                ("revise_memory", {"file": f"user/{path}", "content": "- y\n", "base": "0" * 16}),
                ("get_project_memories", {"file": f"user/{path}"}),
            ):
                answer = await agent.call(tool, **arguments)
                assert answer.code == "OUT_OF_SCOPE", (tool, arguments, answer.text)
                assert "canary" not in answer.text
        for tool, more in (("delete_memory", {}), ("revise_memory", {"text": "y"})):
            assert (await agent.call(tool, id="0123456789ab", **more)).code == "NOT_FOUND"
        listing = await agent.good("get_project_memories")
        assert [row["file"] for row in listing["files"]] == ["user/entities/x.md"]
        assert tree(home.root) == before
        await agent.good("delete_memory", id="user/entities/x.md#ba9876543210")
    assert (outside / "x.md").read_bytes() == b"- a canary outside <!-- m:0123456789ab -->\n"
    assert [path.name for path in outside.rglob("*")] == ["x.md"]


# -- 4 and 21: what cannot be read -------------------------------------------------------------------------------------


async def test_an_unreadable_file_is_named_and_never_overwritten_and_no_outcome_is_taken_for_another(
    home: Home,
) -> None:
    async with session(home) as agent:
        assert (await agent.good("search_memory", query="harbour"))["outcome"] == "store_missing"
    shut = home.store / "notes" / "work" / "shut.md"
    settled(shut, b"# Shut\n\n- The harbour is shut. <!-- m:0123456789ab -->\n")
    settled(home.store / "concepts" / "open.md", b"- The lighthouse is open.\n")
    os.mkfifo(home.store / "notes" / "work" / "pipe.md")
    before = shut.read_bytes()
    shut.chmod(0)
    async with bound_by_modes(home) as agent:
        none = await agent.good("search_memory", query="harbour")
        assert (none["outcome"], none["hits"]) == ("unreadable", [])
        assert "notes/work/shut.md" in none["note"]
        found = await agent.good("search_memory", query="lighthouse")
        assert (found["outcome"], len(found["hits"])) == ("hits", 1)
        assert "notes/work/shut.md" in found["note"]
        for name in ("shut", "pipe"):
            for tool, arguments in (
                ("add_memory", {"kind": "note", "name": name, "collection": "work", "text": "x"}),
                ("revise_memory", {"file": f"user/notes/work/{name}.md", "insert": "x"}),
                ("revise_memory", {"file": f"user/notes/work/{name}.md", "content": "x", "base": "0" * 16}),
                ("get_project_memories", {"file": f"user/notes/work/{name}.md"}),
                ("delete_memory", {"id": f"user/notes/work/{name}.md#0123456789ab"}),
                ("revise_memory", {"id": f"user/notes/work/{name}.md#0123456789ab", "text": "x"}),
            ):
                answer = await agent.call(tool, **arguments)
                assert answer.code == "UNREADABLE", (name, tool, answer.text)
                assert f"{name}.md" in answer.text
        assert (await agent.call("search_memory", query="harbour", project="nosuch")).code == "UNKNOWN_PROJECT"
        assert (await agent.call("search_memory", query="harbour", project="*")).code == "OUT_OF_SCOPE"
        (home.store / "notes" / "work" / "pipe.md").unlink()
        shut.chmod(0o600)
        assert shut.read_bytes() == before
        assert [path.name for path in shut.parent.iterdir()] == ["shut.md"]
        assert (await agent.good("search_memory", query="zebra"))["outcome"] == "no_match"
        assert (await agent.good("search_memory", query="harbour"))["hits"][0]["id"] == "0123456789ab"
        await agent.good("add_memory", kind="note", name="shut", collection="work", text="x")
    assert shut.read_bytes().startswith(before)


# -- 7: every door keeps to the kind's mutability ----------------------------------------------------------------------


async def test_no_form_of_revise_gets_round_a_kind_that_is_not_reworded(home: Home) -> None:
    async with session(home, cwd=home.repo) as agent:
        tried = set()
        for kind in load().values():
            if not kind.path:
                continue
            where: dict[str, Any] = {"collection": "cls"} if {"collection", "class"} & set(kind.placeholders) else {}
            text = f"About {kind.name}: https://a.example/x\nLesson: look first"
            common = {"kind": kind.name, "name": "Topic one", "evidence": "run 7", **where}
            first = await agent.good("add_memory", text=text, **common)
            if "number" in kind.placeholders and kind.then == "freeze":
                await agent.good("add_memory", text=text, **common)  # a newer number freezes the first
            whole = await agent.good("get_project_memories", file=first["file"])
            fixed = (
                kind.mutability in ("frozen", "inbox")
                or kind.grain == "heading"
                or ("number" in kind.placeholders and kind.then == "freeze")
            )
            forged = whole["content"].replace("About", "Not about")
            assert forged != whole["content"]
            before = tree(home.store, home.repo)
            for arguments in (
                {"file": first["file"], "insert": "One more."},
                {"file": first["file"], "content": forged, "base": whole["etag"]},
                {"id": first["id"], "text": "Reworded.\nLesson: it is"},
                {"id": first["address"], "text": "Reworded again.\nLesson: it is", "base": whole["etag"]},
            ):
                answer = await agent.call("revise_memory", **arguments)
                if fixed:
                    assert answer.code == "FROZEN", (kind.name, arguments, answer.text)
                    assert tree(home.store, home.repo) == before, (kind.name, arguments)
                    tried.add(kind.name)
                elif "base" in arguments and "id" in arguments:
                    assert answer.code == "CHANGED_UNDERNEATH", (kind.name, arguments, answer.text)  # the etag is stale
                else:
                    assert answer.ok, (kind.name, arguments, answer.text)
                    if "content" in arguments:
                        break_at = await agent.good("get_project_memories", file=first["file"])
                        assert "Not about" in break_at["content"]
                    whole = whole | {"etag": whole["etag"]}
                    if "insert" in arguments:  # the next form needs the etag of the file as it is now
                        arguments = {}
            del forged
        assert tried == {"episode", "log", "plan", "wave", "roadmap", "rejected", "scratch", "staging"}
