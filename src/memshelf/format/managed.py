"""A block of ours in a file that may otherwise be a person's; no byte outside it is ever touched. Pure.

It stands between `<!-- memshelf:NAME -->` and `<!-- /memshelf:NAME -->`, each on a line of its own that is a comment of
the file itself: in a fence, an item or an indented line it is text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from memshelf.errors import BadRequest, Unreadable
from memshelf.format.blocks import Block, scan
from memshelf.format.document import Document
from memshelf.format.lines import split

HINT = b"memshelf:"
"""Cheap test before the file is read for blocks."""

_MARK = re.compile(r" {0,3}<!--[ \t]*(?P<end>/?)memshelf:(?P<name>[a-z][a-z0-9-]*)[ \t]*-->[ \t]*$")
_QUOTED = re.compile(r"<!--(?=[ \t]*/?memshelf:)")
_LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_TITLE = re.compile(r"# [^\r\n]*")


class Mark(NamedTuple):
    """One mark: its line, its place among the file's blocks, and what it says."""

    line: int
    block: int
    name: str
    ends: bool


def block(data: bytes, name: str) -> str | None:
    """The text within the block, line ends as LF, none at the end; None where the file has no such block.

    Raises:
        Unreadable: a mark is missing, or stands twice.
    """
    found = _found(data, name) if HINT in data else None
    return "\n".join(found.bare[found.start + 1 : found.end]) if found else None


def with_block(data: bytes | None, name: str, body: str, title: str) -> bytes:
    """The file with `body` inside the block, which is made at its end if need be; without file, a new one `# title`.

    The file's line ends and byte order mark stay; a mark within `body` is written so that it is none.

    Raises:
        Unreadable: a mark is missing, or stands twice; BadRequest: `body` leaves a fence or a comment open.
    """
    body = _LONE.sub("\ufffd", body.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
    body = _QUOTED.sub("&lt;!--", body)
    found = _found(data, name) if data and HINT in data else None
    if found:
        made = [*found.lines[: found.start + 1], *_ended(body, found.eol), *found.lines[found.end :]]
    elif data:
        made = _appended(data, name, body)
    else:
        made = _ended("\n".join([f"# {' '.join(title.split())}", "", *_marked(name, body)]), "\n")
    after = "".join(made).encode("utf-8", "surrogateescape")
    if _inside(after, name) != body:
        raise BadRequest(
            f"What is to stand in the block {name!r} would change how the file around it is read.",
            "Close its code fences and comments.",
        )
    return after


def without_block(data: bytes, name: str) -> bytes | None:
    """The file without the block, and at a file's end without the blank line above; None if a title at most is left.

    Raises:
        Unreadable: a mark is missing, or stands twice.
    """
    found = _found(data, name) if HINT in data else None
    if found is None:
        return data
    above, below = found.lines[: found.start], found.lines[found.end + 1 :]
    bom = "\ufeff" if data.startswith(b"\xef\xbb\xbf") else ""
    if not below and len(above) > 1 and not above[-1].strip("\r\n"):
        del above[-1]
    left = "".join(above).removeprefix(bom) + "".join(below)
    plain = left.strip()
    if not plain or _TITLE.fullmatch(plain):
        return None
    return (bom + left).encode("utf-8", "surrogateescape")


# -- for whoever reads or changes the file around --------------------------------------------------------------------


def marks(bare: Sequence[str], blocks: Sequence[Block]) -> list[Mark]:
    """Every mark of a scanned file, in order."""
    return [
        Mark(found.start, i, match["name"], bool(match["end"]))
        for i, found in enumerate(blocks)
        if found.type == "comment" and found.parent < 0 and found.end == found.start + 1
        if (match := _MARK.match(bare[found.start]))
    ]


def collapsed(bare: Sequence[str], blocks: list[Block]) -> tuple[list[Block], tuple[tuple[int, int], ...]]:
    """The blocks with each of ours as one comment, and the line ranges of those, marks and all.

    A start without its end, or with another mark before it, is a comment like any other.
    """
    found = marks(bare, blocks)
    out: list[Block] = []
    ranges: list[tuple[int, int]] = []
    at = gone = 0

    def moved(kept: list[Block]) -> list[Block]:
        return [b._replace(parent=b.parent - gone) if b.parent >= 0 else b for b in kept] if gone else kept

    for start, end in pairwise(found):
        if start.ends or not end.ends or start.name != end.name:
            continue
        out += moved(blocks[at : start.block])
        out.append(blocks[start.block]._replace(end=end.line + 1))
        ranges.append((start.line, end.line + 1))
        at = end.block + 1
        gone += end.block - start.block
    return out + moved(blocks[at:]), tuple(ranges)


def kept(before: Document, after: Document) -> bool:
    """Whether a change has left each of our blocks as it was, and made no new mark."""
    if HINT not in before.data and HINT not in after.data:
        return True
    return before.ours == after.ours and _strays(before) == _strays(after)


def _strays(document: Document) -> list[tuple[str, bool]]:
    bare = [line.removeprefix("\ufeff").rstrip("\r\n") for line in document.lines]
    return [(mark.name, mark.ends) for mark in marks(bare, document.blocks)]


# -- finding and placing ---------------------------------------------------------------------------------------------


class _Found(NamedTuple):
    lines: list[str]
    bare: list[str]
    start: int
    end: int
    eol: str


def _found(data: bytes, name: str) -> _Found | None:
    lines, bare, first = split(data)
    every = marks(bare, scan(bare, first))
    own = [i for i, mark in enumerate(every) if mark.name == name]
    if not own:
        return None
    pair = [every[i] for i in own]
    if [mark.ends for mark in pair] != [False, True] or own[1] != own[0] + 1:
        places = ", ".join(str(mark.line + 1) for mark in pair)
        raise Unreadable(
            f"The marks of the block {name!r} (line {places}) are not one start and one end.",
            f"Leave one line '<!-- memshelf:{name} -->' and below it one '<!-- /memshelf:{name} -->', outside code "
            "fences; or delete them all and the block is made anew.",
        )
    start, end = pair[0].line, pair[1].line
    return _Found(lines, bare, start, end, lines[start][len(lines[start].rstrip("\r\n")) :])


def _inside(data: bytes, name: str) -> str | None:
    try:
        return block(data, name)
    except Unreadable:
        return None


def _marked(name: str, body: str) -> list[str]:
    return [f"<!-- memshelf:{name} -->", *([body] if body else []), f"<!-- /memshelf:{name} -->"]


def _ended(text: str, eol: str) -> list[str]:
    return [line + eol for line in text.split("\n")] if text else []


def _appended(data: bytes, name: str, body: str) -> list[str]:
    """The file with the block at its end, below a blank line, or before a fence or comment that is left open there."""
    lines, bare, first = split(data)
    eol = lines[0][len(lines[0].rstrip("\r\n")) :] or "\n"
    bom = ["\ufeff"] if lines[0].startswith("\ufeff") else []
    lines[0] = lines[0].removeprefix("\ufeff")
    made = _ended("\n".join(_marked(name, body)), eol)
    top = [b for b in scan(bare, first) if b.parent < 0]
    if top and not top[-1].closed:
        at = top[-1].start
        for b in reversed(top[:-1]):
            if b.type != "comment" or b.end != at:
                break
            at = b.start  # it may be the marker of what follows
        return [*bom, *lines[:at], *made, *lines[at:]]
    if bare[-1].strip(" \t"):
        lines += [eol] * (1 if lines[-1].endswith(("\n", "\r")) else 2)
    if len(lines) > 1 and lines[-1] == "\n" and lines[-2].endswith("\r"):
        lines.append(eol)  # the two are one line end
    return [*bom, *lines, *made]
