"""Stores that others wrote: opened and searched without a byte changing, edited without touching a neighbour's line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from door import Home, session, settled, tree

pytestmark = pytest.mark.anyio

PROSE = {
    "INDEX.md": "# Kiln Memory Index\n\nRead the topic before you change it.\n\n- [glaze.md](glaze.md) — how glazes behave.\n",
    "glaze.md": (
        "# Glaze\n\n## Melting\n\nA glaze melts from the outside in. Thick layers crawl.\n\n"
        "Never cool faster than the clay allows; cracks show a day later.\n\n## Colour\n\nCopper turns red without air.\n"
    ),
}
FIRST_GENERATION = {
    "PROJECTS.md": "# Projects\n\n| slug | path |\n|------|------|\n| kiln | `/home/dev/kiln` |\n",
    "host_paths.json": '{\n  "kiln": "/home/dev/kiln"\n}\n',
    "projects/kiln/README.md": "---\nslug: kiln\npath: /home/dev/kiln\nrole: api\n---\n\n# kiln\n\napi · active\n",
    "notes/programming/python.md": "# Python\n\n- Services pin 3.12 and lock with uv.\n- Type hints are mandatory.\n",
    "notes/programming/cache.md": "# Cache\n\n- 缓存键必须包含租户编号。\n",
    "concepts/outbox.md": "# Outbox\n\n- Rows are written in the same transaction.\n",
}
DRAWERS = {
    "semantic/INDEX.md": "# Semantic\n\nOne fact per file.\n\n| slug | one-liner |\n|---|---|\n| ports | which ports are taken |\n",
    "semantic/ports.md": "# Ports\n- last_updated: 2026-11-09\n- source: verified\n\nThe API listens on 8081.\n",
    "procedural/release.md": "# Release\n- last_updated: 2026-11-09\n\nWhen: every Tuesday\n",
    "ACTIVE/PLAN.md": "# Plan\n\n1. First the lock\n2. Then the journal\n",
    "topics/conventions/style.md": "---\nname: style\nkind: invariant\nconfidence: 0.9\nanchors:\n  - src/a.py: 3f9a\n---\n\nUse `snake_case`:\n\n1. functions\n2. modules\n",
    "mixed.md": (
        "\ufeff# Mixed\r\n\r\n* star fact\r\n  * nested under star\r\n+ plus fact\r\n1. ordered fact\r\n- [ ] task fact\r\n\r\n"
        "<!--\r\n- hidden bullet\r\n-->\r\n\r\n```\r\n- fenced bullet\r\n```\r\n\r\n- last fact without a final line end"
    ),
}  # fmt: skip


def laid(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        settled(root / path, text.encode())


@pytest.mark.parametrize(
    ("files", "query", "found"),
    [
        (PROSE, "copper air", "Copper turns red without air."),
        (PROSE, "melts crawl", "A glaze melts from the outside in. Thick layers crawl."),
        (FIRST_GENERATION, "租户", "缓存键必须包含租户编号。"),
        (FIRST_GENERATION, "lock uv", "Services pin 3.12 and lock with uv."),
        (DRAWERS, "listens 8081", "The API listens on 8081."),
        (DRAWERS, "first lock", "First the lock"),
        (DRAWERS, "nested star", "nested under star"),
        (DRAWERS, "final line end", "last fact without a final line end"),
    ],
)
async def test_a_foreign_store_is_searched_edited_and_otherwise_left_alone(
    home: Home, files: dict[str, str], query: str, found: str
) -> None:
    laid(home.store, files)
    before = tree(home.store)
    async with session(home) as agent:
        hit = (await agent.hits(query))[0]
        assert hit["text"] == found
        assert tree(home.store) == before, "reading wrote"
        file = home.store / hit["file"].removeprefix("user/")
        old = file.read_bytes()
        await agent.good("revise_memory", id=hit["id"], text="Something else entirely.")
        marked = next(line for line in file.read_bytes().splitlines() if b"Something else entirely." in line)
        start = marked.index(b"<!--")
        marker = marked[start : marked.index(b"-->") + 3]
        assert f"m:{hit['id']} ".encode() in marker
        assert file.read_bytes() == old.replace(found.encode(), b"Something else entirely. " + marker)
        await agent.good("delete_memory", id=hit["id"])
        assert b"Something else" not in file.read_bytes()
        line = next(part for part in old.splitlines(keepends=True) if found.encode() in part)
        assert file.read_bytes() == old.replace(line, b"")
        others = [path for path in files if home.store / path != file]
        assert others
        assert all((home.store / path).read_bytes() == files[path].encode() for path in others)


async def test_what_a_comment_or_a_fence_holds_is_no_bullet_of_its_own(home: Home) -> None:
    laid(home.store, DRAWERS)
    async with session(home) as agent:
        assert await agent.hits("hidden") == []
        (fence,) = await agent.hits("fenced bullet")
        assert fence["text"].startswith("```")


async def test_a_line_of_broken_utf8_stays_as_it_is(home: Home) -> None:
    file = home.store / "notes" / "work" / "x.md"
    settled(file, b"# X\n\n- good line\n- caf\xe9 latin-1 \xff\n")
    async with session(home) as agent:
        (hit,) = await agent.hits("good line")
        await agent.good("revise_memory", id=hit["id"], text="better line")
        assert file.read_bytes().endswith(b"- caf\xe9 latin-1 \xff\n")
        (broken,) = await agent.hits("latin-1")
        assert broken["text"] == "caf\ufffd latin-1 \ufffd"


SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "real-stores"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real stores are not beside this checkout")
@pytest.mark.parametrize(
    ("folder", "query"), [("rinf", "copper signal generator"), ("agents-memory-1.3/user", "idempotency keys")]
)
async def test_the_real_stores_open_unchanged(home: Home, folder: str, query: str) -> None:
    shutil.copytree(SHARED / folder, home.store)
    for path in home.store.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    home.store.chmod(0o755)
    before = tree(home.store)
    async with session(home) as agent:
        first, *_, last = await agent.hits(query, limit=20)
        assert tree(home.store) == before
        files = {path: path.read_bytes() for path in home.store.rglob("*.md")}
        await agent.good("revise_memory", id=first["id"], text="Revised by an agent.")
        await agent.good("delete_memory", id=last["id"])
        touched = {home.store / hit["file"].removeprefix("user/") for hit in (first, last)}
        assert all(path.read_bytes() == old for path, old in files.items() if path not in touched)
        for path in touched:
            kept = [line for line in path.read_bytes().splitlines(keepends=True) if b"Revised by an agent." not in line]
            assert all(line in files[path].splitlines(keepends=True) for line in kept)
