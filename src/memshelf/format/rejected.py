"""Rows of REJECTED.md: a GitHub-flavoured table in a block of ours, one rejected value a line. Pure.

A person may edit it: columns are told by their header, a key that is missing is that of the value, and what is no row
is passed over. A key that is there counts, whatever the value beside it says: long values are shown cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from memshelf.domain.skeleton import KEY_DIGITS, key
from memshelf.format import managed
from memshelf.format.marker import escape, unescape

NAME = "rejected"
TITLE = "Rejected"
LONGEST = 300
"""Characters of a value, or of a reason, that are shown."""
FORGOTTEN = "(forgotten)"
COLUMNS = ("value", "reason", "who", "when", "key", "id")

_KEY = re.compile(f"[0-9a-f]{{{KEY_DIGITS}}}")
_RULE = re.compile(r":?-+:?")
_CELL = re.compile(r"((?:[^\\|]|\\.|\\$)*)(?:\||$)")
_ESCAPED = re.compile(r"\\([\\|(])")


@dataclass(frozen=True, slots=True)
class Row:
    """One rejected value; `text` is "" where it was forgotten."""

    text: str
    reason: str
    who: str
    """person or agent"""
    when: str
    """ISO, UTC"""
    key: str
    id: str = ""
    """The entry that said it."""


def rows(data: bytes | None) -> tuple[Row, ...]:
    """The rows of a REJECTED.md, in order; none where there is no file or no block.

    Raises:
        Unreadable: a mark of the block is missing, or stands twice.
    """
    text = managed.block(data, NAME) if data else None
    if not text:
        return ()
    table = [_cells(line) for line in text.split("\n") if "|" in line]
    columns = {name: place for place, name in enumerate(COLUMNS)}
    if table and (header := _header(table[0])) and (len(header) > 1 or all(map(_RULE.fullmatch, *table[1:2]))):
        columns = header
        del table[0]
    found = (_row(cells, columns) for cells in table if not all(map(_RULE.fullmatch, cells)))
    return tuple(row for row in found if row is not None)


def with_rows(data: bytes | None, rows: Sequence[Row]) -> bytes | None:
    """The file with exactly these rows in its block; None where no file is needed. No byte outside the block changes.

    Raises:
        Unreadable: a mark of the block is missing, or stands twice.
    """
    if not rows:
        return managed.without_block(data, NAME) if data else None
    lines = [_line(COLUMNS), _line(["---"] * len(COLUMNS))]
    lines += [_line([_value(r.text), _shown(r.reason), *map(_shown, (r.who, r.when, r.key, r.id))]) for r in rows]
    return managed.with_block(data, NAME, "\n".join(lines), TITLE)


def cleaned(row: Row) -> Row:
    """The row as it will be read again: one line each, cut; the key stays."""
    return replace(row, **{f.name: _cut(getattr(row, f.name)) for f in fields(row)})


# -- writing ---------------------------------------------------------------------------------------------------------


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _value(text: str) -> str:
    shown = _shown(text)
    return FORGOTTEN if not shown else f"\\{shown}" if shown == FORGOTTEN else shown


def _shown(text: str) -> str:
    return escape(_cut(text)).replace("\\", "\\\\").replace("|", "\\|")


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


# -- reading ---------------------------------------------------------------------------------------------------------


def _cells(line: str) -> list[str]:
    """The cells of a table row as they stand; bars at its ends are no cells."""
    line = line.strip().removeprefix("|")
    return [match[1].strip() for match in _CELL.finditer(line) if match.start() < len(line)]


def _header(cells: Sequence[str]) -> dict[str, int]:
    names = [cell.strip("*_` ").casefold() for cell in cells]
    found = {name: names.index(name) for name in COLUMNS if name in names}
    return found if "value" in found or "key" in found else {}


def _row(cells: Sequence[str], columns: dict[str, int]) -> Row | None:
    raw = {name: cells[place] if place < len(cells) else "" for name, place in columns.items()}
    raw = {name: raw.get(name, "") for name in COLUMNS}
    text = "" if raw["value"] == FORGOTTEN else _plain(raw["value"])
    found = raw["key"].strip("` ").lower()
    if not _KEY.fullmatch(found):
        if not text:
            return None
        found = key(text)
    return Row(text, _plain(raw["reason"]), _plain(raw["who"]), _plain(raw["when"]), found, _plain(raw["id"]))


def _plain(cell: str) -> str:
    return unescape(_ESCAPED.sub(r"\1", cell))
