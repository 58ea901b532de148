"""A person at an editor, beside a running server."""

from __future__ import annotations

from pathlib import Path

import pytest
from door import Home, session, settled, tree

pytestmark = pytest.mark.anyio


def in_place(path: Path, text: str) -> None:
    path.write_text(text)


def renamed_over(path: Path, text: str) -> None:
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text)
    fresh.replace(path)


@pytest.mark.parametrize("save", [in_place, renamed_over])
async def test_a_search_after_a_save_sees_the_new_text(home: Home, save) -> None:
    file = home.store / "notes" / "work" / "x.md"
    settled(file, b"# X\n\n- The harbour is open.\n")
    async with session(home) as agent:
        (hit,) = await agent.hits("harbour")
        for text in ("# X\n\n- The harbour is shut.\n", "# X\n\n- The harbour is full.\n"):  # the same length
            save(file, text)
            (hit,) = await agent.hits("harbour")
            assert hit["text"] == text.splitlines()[2][2:]


async def test_a_hand_typed_bullet_has_an_id_before_it_is_stamped_and_keeps_it(home: Home) -> None:
    file = home.store / "notes" / "work" / "x.md"
    settled(file, b"# X\r\n\r\n* first thing\r\n* second thing\r\n")
    async with session(home) as agent:
        (hit,) = await agent.hits("first")
        before = file.read_bytes()
        assert (await agent.hits("second"))[0]["text"] == "second thing"
        assert file.read_bytes() == before
        done = await agent.good("revise_memory", id=hit["id"], text="first thing, revised")
        assert done["id"] == hit["id"]
        lines = file.read_bytes().split(b"\r\n")
        assert lines[2].startswith(f"* first thing, revised <!-- m:{hit['id']} ".encode())
        assert lines[3:] == [b"* second thing", b""]


async def test_ids_outlive_hand_edits_renames_and_moves(home: Home) -> None:
    async with session(home) as agent:
        done = await agent.good("add_memory", kind="note", name="x", collection="work", text="The harbour is open.")
        file = home.store / "notes" / "work" / "x.md"
        file.write_text(file.read_text().replace("harbour", "old harbour") + "- one more\n")
        assert [h["id"] for h in await agent.hits("old harbour open")] == [done["id"]]
        moved = home.store / "notes" / "sea" / "y.md"
        moved.parent.mkdir()
        file.rename(moved)
        (hit,) = await agent.hits("old harbour open")
        assert (hit["id"], hit["file"]) == (done["id"], "user/notes/sea/y.md")
        assert (await agent.good("delete_memory", id=done["address"]))["file"] == "user/notes/sea/y.md"
        assert [h["text"] for h in await agent.hits("one more")] == ["one more"]


async def test_a_reworded_hand_typed_bullet_answers_its_old_id_with_its_likely_successors(home: Home) -> None:
    file = home.store / "notes" / "work" / "x.md"
    settled(file, b"- The harbour opens at nine in summer.\n- Boats leave hourly.\n")
    async with session(home) as agent:
        (hit,) = await agent.hits("harbour")
        settled(file, b"- The harbour opens at ten in summer.\n- Boats leave hourly.\n")
        before = tree(home.store)
        answer = await agent.call("delete_memory", id=hit["address"])
        assert answer.code == "NOT_FOUND"
        (new,) = await agent.hits("harbour")
        assert new["id"] != hit["id"]
        assert new["id"] in answer.text
        assert tree(home.store) == before


async def test_a_copied_line_is_reported_and_never_guessed(home: Home) -> None:
    async with session(home) as agent:
        done = await agent.good("add_memory", kind="note", name="x", collection="work", text="The harbour is open.")
        file = home.store / "notes" / "work" / "x.md"
        line = file.read_bytes().splitlines(keepends=True)[-1]
        settled(file, file.read_bytes() + line)
        before = tree(home.store)
        for tool, more in (("delete_memory", {}), ("revise_memory", {"text": "y"})):
            answer = await agent.call(tool, id=done["id"], **more)
            assert answer.code == "BAD_REQUEST"
            assert "x.md:3" in answer.text
            assert "x.md:4" in answer.text
        assert tree(home.store) == before
        settled(file, file.read_bytes().removesuffix(line))
        await agent.good("delete_memory", id=done["id"])
