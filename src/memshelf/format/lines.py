"""A file's bytes as lines. Broken UTF-8 and NUL are carried through (surrogateescape). Pure, both ways."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def split(data: bytes) -> tuple[list[str], list[str], int]:
    """The lines with their ends, the lines without ends and byte order mark, and how many are front matter."""
    lines = _LINE.findall(data.decode("utf-8", "surrogateescape"))
    bare = [line.rstrip("\r\n") for line in lines]
    if bare and bare[0].startswith("\ufeff"):
        bare[0] = bare[0][1:]
    return lines, bare, _front_matter(bare)


def _front_matter(bare: list[str]) -> int:
    if not bare or bare[0].rstrip() != "---":
        return 0
    for i in range(1, len(bare)):
        if bare[i].rstrip() in ("---", "..."):
            return i + 1
    return 0
