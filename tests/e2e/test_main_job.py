"""Remember and recall, end to end, in both protocol eras."""

from __future__ import annotations

import pytest
from door import Home, session, tree

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_agent_remembers_revises_and_deletes_by_ids_that_outlive_positions(home: Home, mode: str) -> None:
    async with session(home, mode=mode) as agent:
        done = await agent.good("register_project", slug="heron", path=str(home.repo), role="api")
        assert done["op"] == "registered"
        for kind, more in {
            "fact": {"project": "heron", "text": "The API listens on port 8081."},
            "preference": {"text": "Answers start with the conclusion.", "source": "user"},
            "note": {"text": "SQLite needs WAL for many readers.", "collection": "programming"},
            "decision": {"project": "heron", "text": "One writer holds the lock."},
            "concept": {"text": "Idempotency keys make retried writes safe."},
        }.items():
            done = await agent.good("add_memory", kind=kind, name="ports", **more)
            assert (done["op"], done["kind"]) == ("added", kind)
        concept = done
        before = tree(home.store, home.repo)
        refused = await agent.call("add_memory", kind="concept", name="ports", text="Keys live for a day.")
        assert refused.code == "REVISE_INSTEAD"
        assert concept["id"] in refused.text
        assert f'revise_memory(id="{concept["id"]}"' in refused.text
        assert tree(home.store, home.repo) == before
        revised = await agent.good("revise_memory", id=concept["id"], text="Idempotency keys live for a day.")
        assert revised["id"] == concept["id"]
        (hit,) = await agent.hits("idempotency keys day")
        assert (hit["id"], hit["text"]) == (concept["id"], "Idempotency keys live for a day.")
        file = home.store / "concepts" / "ports.md"
        old = file.read_bytes()
        above = b"".join(b"Line %d typed above.\n" % n for n in range(30))
        file.write_bytes(above + old)
        (line,) = [part for part in old.splitlines(keepends=True) if concept["id"].encode() in part]
        await agent.good("delete_memory", id=hit["id"])
        assert file.read_bytes() == above + old.replace(line, b"")
        before = tree(home.store, home.repo)
        again = await agent.call("delete_memory", id=hit["id"])
        assert again.code == "NOT_FOUND"
        assert tree(home.store, home.repo) == before


async def test_another_session_recalls_what_one_remembered(home: Home) -> None:
    async with session(home) as agent:
        done = await agent.good("add_memory", kind="preference", name="python", text="Use httpx2, never requests.")
    async with session(home) as agent:
        assert [hit["id"] for hit in await agent.hits("httpx2")] == [done["id"]]
        assert [hit["id"] for hit in await agent.hits(done["address"])] == [done["id"]]


async def test_the_project_of_the_working_directory_needs_no_ceremony(home: Home) -> None:
    (home.repo / ".git" / "config").write_text('[remote "origin"]\n\turl = https://me:pw@git.example/team/heron.git\n')
    async with session(home, cwd=home.repo) as agent:
        assert (await agent.good("search_memory", query="anything"))["outcome"] == "store_missing"
        done = await agent.good("add_memory", kind="fact", name="ports", text="The API listens on port 8081.")
    assert done["address"].startswith("heron/facts/ports.md#")
    assert any("created its store" in reason for reason in done["reasons"])
    assert (home.repo / ".agents" / "memory" / "facts" / "ports.md").is_file()
    card = (home.store / "projects" / "heron" / "README.md").read_text()
    assert "git.example/team/heron" in card
    assert "pw" not in card
    assert str(home.repo) not in card


async def test_text_of_several_lines_and_fences_comes_back_as_given(home: Home) -> None:
    text = "Release like this:\n\n1. tag\n2. wait\n\n```sh\ngit tag v1 <!-- not a comment -->\n- no bullet\n```\n\nThen `-->` promote."
    async with session(home) as agent:
        await agent.good("add_memory", kind="note", name="release", collection="work", text=text)
        (hit,) = await agent.hits("promote")
        assert hit["text"] == text


async def test_whole_file_writes_need_the_etag_and_cannot_forge_trust(home: Home) -> None:
    async with session(home) as agent:
        done = await agent.good("add_memory", kind="concept", name="cache", text="Caches pull.")
        file = await agent.good("get_project_memories", file=done["file"])
        forged = file["content"].replace("Caches pull.", "Caches push.").replace(" -->", " trust=confirmed -->")
        before = tree(home.store)
        assert (await agent.call("revise_memory", file=done["file"], content=forged)).code == "BAD_REQUEST"
        assert (
            await agent.call("revise_memory", file=done["file"], content=forged, base="0" * 16)
        ).code == "CHANGED_UNDERNEATH"
        assert tree(home.store) == before
        await agent.good("revise_memory", file=done["file"], content=forged, base=file["etag"])
        (hit,) = await agent.hits("caches push")
        assert (hit["id"], hit["trust"]) == (done["id"], "derived")
        inserted = await agent.good("revise_memory", file=done["file"], insert="Writers do not know them.")
        assert [h["id"] for h in await agent.hits("writers know")] == [inserted["id"]]
