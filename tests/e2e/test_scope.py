"""What a server may see: its project and the user store, and nothing that an argument names to get further."""

from __future__ import annotations

from pathlib import Path

import pytest
from door import Home, session, tree

pytestmark = pytest.mark.anyio
WORD = "harbourlight"


async def filled(home: Home) -> Path:
    other = home.root / "osprey"
    (other / ".git").mkdir(parents=True)
    async with session(home) as agent:
        for slug, path in (("heron", home.repo), ("osprey", other)):
            await agent.good("register_project", slug=slug, path=str(path))
            await agent.good("add_memory", kind="fact", name="x", project=slug, text=f"{WORD} of {slug}.")
        await agent.good("add_memory", kind="note", name="x", collection="work", text=f"{WORD} of the user.")
    return other


async def test_scope_holds_both_ways_and_a_typo_is_an_error(home: Home) -> None:
    other = await filled(home)
    async with session(home, cwd=home.repo) as agent:
        assert {h["project"] for h in await agent.hits(WORD)} == {"heron", ""}
        assert {h["project"] for h in await agent.hits(WORD, project="user")} == {""}
        assert {h["project"] for h in await agent.hits(WORD, project="osprey")} == {"osprey", ""}
        listing = await agent.good("get_project_memories")
        assert not any(row["file"].startswith("osprey/") for row in listing["files"])
        assert any(row["file"].startswith("heron/") for row in listing["files"])
        for typo in ("hero", "HERON", "heron,osprey", "../osprey", "all"):
            assert (await agent.call("search_memory", query=WORD, project=typo)).code == "UNKNOWN_PROJECT"
        assert (await agent.call("search_memory", query=WORD, project="*")).code == "OUT_OF_SCOPE"
    async with session(home) as agent:
        assert {h["project"] for h in await agent.hits(WORD)} == {""}
    async with session(home, "--all-projects") as agent:
        assert {h["project"] for h in await agent.hits(WORD, project="*")} == {"heron", "osprey", ""}
    assert other.is_dir()


async def test_a_pinned_server_cannot_be_widened_by_any_argument(home: Home) -> None:
    other = await filled(home)
    async with session(home) as agent:
        foreign = next(h for h in await agent.hits(WORD, project="osprey") if h["project"] == "osprey")
    async with session(home, "--project", str(home.repo), "--all-projects") as agent:
        assert {h["project"] for h in await agent.hits(WORD)} == {"heron", ""}
        before = tree(home.store, home.repo, other)
        for tool, arguments in [
            ("search_memory", {"query": WORD, "project": "osprey"}),
            ("search_memory", {"query": WORD, "project": "*"}),
            ("get_project_memories", {"project": "osprey"}),
            ("get_project_memories", {"file": foreign["file"]}),
            ("add_memory", {"kind": "fact", "name": "y", "project": "osprey", "text": "y"}),
            ("revise_memory", {"id": foreign["address"], "text": "y"}),
            ("revise_memory", {"file": foreign["file"], "insert": "y"}),
            ("delete_memory", {"id": foreign["address"]}),
            ("delete_memory", {"id": foreign["id"], "project": "osprey"}),
        ]:
            assert (await agent.call(tool, **arguments)).code == "OUT_OF_SCOPE", (tool, arguments)
        assert (await agent.call("delete_memory", id=foreign["id"])).code == "NOT_FOUND"
        assert tree(home.store, home.repo, other) == before


async def test_an_id_that_a_named_project_showed_leads_back_there(home: Home) -> None:
    await filled(home)
    async with session(home) as agent:
        shown = next(h for h in await agent.hits(WORD, project="heron") if h["project"] == "heron")
        assert (await agent.good("delete_memory", id=shown["id"]))["address"] == shown["address"]


async def test_five_outcomes_are_five_different_answers(home: Home) -> None:
    async with session(home) as agent:
        assert (await agent.good("search_memory", query="x"))["outcome"] == "store_missing"
        await agent.good("add_memory", kind="note", name="x", collection="work", text="There is a lighthouse.")
        assert (await agent.good("search_memory", query="lighthouse"))["outcome"] == "hits"
        assert (await agent.good("search_memory", query="zebra"))["outcome"] == "no_match"
        assert (await agent.call("search_memory", query="x", project="nosuch")).code == "UNKNOWN_PROJECT"
        assert (await agent.call("search_memory", query="x", project="*")).code == "OUT_OF_SCOPE"
