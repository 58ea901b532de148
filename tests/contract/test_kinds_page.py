"""abi/KINDS.md says what abi/kinds.toml says, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from memshelf.domain.kinds import load

PAGE = (Path(__file__).parents[2] / "abi" / "KINDS.md").read_text("utf-8")
ROW = re.compile(r"^\| (\w+) \| (U?P?) \| `([^`]+)` \| (\w+) \| (\w+)(?:, then (\w+))? \| (\w+) \| (.*) \|$", re.M)


def test_the_page_has_each_row_of_the_table_and_no_other() -> None:
    page = {name: rest for name, *rest in ROW.findall(PAGE)}
    table = {
        kind.name: [
            "".join(store[0].upper() for store in kind.stores), kind.path, kind.grain, kind.mutability, kind.then, kind.drawer,
        ]
        for kind in load().values()
        if kind.path
    }  # fmt: skip
    assert {name: rest[:-1] for name, rest in page.items()} == table


def test_the_page_names_each_need_cap_and_read_pattern() -> None:
    page = {name: rest[-1] for name, *rest in ROW.findall(PAGE)}
    for kind in load().values():
        if not kind.path:
            continue
        for need in kind.needs:
            assert need in page[kind.name]
        for pattern in kind.reads:
            assert f"`{pattern}`" in page[kind.name]
        if "lines" in kind.caps:
            assert f"{kind.caps['lines']} lines" in page[kind.name]
        if "active" in kind.caps:
            assert f"{kind.caps['active']} active" in page[kind.name]
        assert ("not in default search" in page[kind.name]) != kind.in_search
