"""Stores in the shapes that others write them: every byte accounted for through reading, a revision and a deletion."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from door import Home, session, settled, tree

pytestmark = pytest.mark.anyio

NEW = "Said anew by an agent."


@dataclass(frozen=True)
class Edit:
    """In `file`, the entry that `query` finds is `was`; `line` is what holds it (its own line where it is empty)."""

    file: str
    query: str
    was: str
    line: bytes = b""


MIXED = (
    b"\xef\xbb\xbf# Mixed\r\n\r\n* star fact\r\n  * nested under star\r\n+ plus fact\r\n\r\n<!--\r\n- hidden one\r\n"
    b"-->\r\n\r\n```\r\n- fenced one\r\n```\r\n\r\n- middle fact\r\n- last fact without a line end"
)

STORES: dict[str, tuple[dict[str, bytes], Edit, Edit]] = {
    "prose under headings with an index made by hand": (
        {
            "INDEX.md": "# Kiln\n\nRead the topic first.\n\n- [Glaze](glaze.md) — how glazes behave\n".encode(),
            "glaze.md": b"# Glaze\n\n## Melting\n\nThick layers crawl when hot.\n\nCool no faster than clay allows.\n\n"
            b"## Colour\n\nCopper turns red without air.\n",
        },
        Edit("glaze.md", "layers crawl", "Thick layers crawl when hot."),
        Edit("glaze.md", "copper air", "Copper turns red without air."),
    ),
    "what agents-memory 1.3 leaves behind": (
        {
            "PROJECTS.md": b"# Projects\n\n| slug | path |\n|------|------|\n| kiln | `/home/dev/kiln` |\n",
            "host_paths.json": b'{\n  "kiln": "/home/dev/kiln"\n}\n',
            "projects/kiln/README.md": b"---\nslug: kiln\npath: /home/dev/kiln\n---\n\n# kiln\n\napi, python\n",
            "notes/programming/python.md": b"# Python\n\n- Services pin 3.12.\n- Hints are mandatory.\n",
            "notes/programming/cache.md": "# Cache\n\n- 缓存键必须包含租户编号。\n- 过期时间至少五分钟。\n".encode(),
        },
        Edit("notes/programming/python.md", "services pin", "Services pin 3.12."),
        Edit("notes/programming/cache.md", "过期时间", "过期时间至少五分钟。"),
    ),
    "drawers with metadata bullets and capital folders": (
        {
            "semantic/ports.md": b"# Ports\n- last_updated: 2026-11-09\n- source: verified\n\nThe API listens on 8081.\n",
            "semantic/INDEX.md": b"# Semantic\n\n| slug | one-liner |\n|---|---|\n| ports | taken ports |\n",
            "ACTIVE/PLAN.md": b"# Plan\n\n1. First the lock\n2. Then the journal\n3. At last the views\n",
        },
        Edit("semantic/ports.md", "listens 8081", "The API listens on 8081."),
        Edit("ACTIVE/PLAN.md", "journal", "Then the journal"),
    ),
    "front matter with anchors": (
        {
            "topics/style.md": b"---\nname: style\nkind: invariant\nanchors:\n  - src/a.py: 3f9a\n---\n\nUse snake case:\n\n"
            b"1. functions\n2. modules\n\nNever in classes.\n",
            "topics/other.md": b"---\nname: other\n---\nA body directly below.\n",
        },
        Edit("topics/style.md", "never classes", "Never in classes."),
        Edit("topics/style.md", "modules", "modules"),
    ),
    "CRLF, a byte order mark, no last line end, nested bullets, fences and comments": (
        {
            "mixed.md": MIXED,
            "tabs.md": b"# Tabs\n\n-\ttabbed fact\t \n-   wide fact   \n\n\n\n",
        },
        Edit("mixed.md", "last without end", "last fact without a line end"),
        Edit("mixed.md", "nested", "nested under star"),
    ),
    "bytes that are no UTF-8": (
        {"notes/work/x.md": b"# X\n\n- good line\n- caf\xe9 latin \xff\n- fine line\n\x00\n", "y.md": b"\xff\xfe\xff- odd\n"},
        Edit("notes/work/x.md", "good", "good line"),
        Edit("notes/work/x.md", "latin", "caf\ufffd latin \ufffd", b"- caf\xe9 latin \xff\n"),
    ),
}  # fmt: skip


def files(root: Path) -> dict[str, bytes]:
    """Every file of a store but the lock and local state."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not {".lock", ".local", ".journal"} & set(path.relative_to(root).parts)
    }


@pytest.mark.parametrize("shape", STORES)
async def test_reading_changes_no_byte_and_an_edit_changes_its_own_lines_alone(home: Home, shape: str) -> None:
    laid, revised, deleted = STORES[shape]
    for path, data in laid.items():
        settled(home.store / path, data)
    async with session(home) as agent:
        ids = {}
        for edit in (revised, deleted):
            (hit,) = [hit for hit in await agent.hits(edit.query) if hit["text"] == edit.was]
            assert hit["file"] == f"user/{edit.file}"
            ids[edit] = hit["id"]
        await agent.good("get_project_memories")
        for path in laid:
            if path.endswith(".md"):
                await agent.good("get_project_memories", file=f"user/{path}")
        assert files(home.store) == laid, "reading wrote"

        await agent.good("revise_memory", id=ids[revised], text=NEW)
        now = files(home.store)
        assert set(now) == {*laid, f".archive/{revised.file}"}
        (marker,) = re.findall(rb" ?<!-- m:%b [^>]*-->" % ids[revised].encode(), now[revised.file])
        expected = dict(laid)
        expected[revised.file] = laid[revised.file].replace(revised.was.encode(), NEW.encode() + marker)
        assert now == expected | {f".archive/{revised.file}": now[f".archive/{revised.file}"]}
        assert revised.was in now[f".archive/{revised.file}"].decode()

        await agent.good("delete_memory", id=ids[deleted])
        line = deleted.line or next(
            part for part in laid[deleted.file].splitlines(keepends=True) if deleted.was.encode() in part
        )
        expected[deleted.file] = expected[deleted.file].replace(line, b"", 1)
        now = files(home.store)
        archives = {f".archive/{edit.file}" for edit in (revised, deleted)}
        assert set(now) == {*laid, *archives}
        assert {path: data for path, data in now.items() if path not in archives} == expected
        assert ids[deleted] not in {hit["id"] for hit in await agent.hits(deleted.query, limit=100)}
        assert [hit["id"] for hit in await agent.hits("anew agent")] == [ids[revised]]


async def test_what_a_comment_or_a_fence_holds_is_no_bullet_of_its_own(home: Home) -> None:
    settled(home.store / "mixed.md", MIXED)
    async with session(home) as agent:
        assert await agent.hits("hidden") == []
        (fence,) = await agent.hits("fenced one")
        assert fence["text"].startswith("```")


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
            gone = [
                hit["text"].encode() for hit in (first, last) if hit["file"] == f"user/{path.relative_to(home.store)}"
            ]
            now, old = (data.splitlines(keepends=True) for data in (path.read_bytes(), files[path]))
            kept = [line for line in now if b"Revised by an agent." not in line]
            assert kept == [line for line in old if not any(text in line for text in gone)]
            assert len(now) - len(kept) == (path == home.store / first["file"].removeprefix("user/"))
