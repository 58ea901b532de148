"""Leading white space in columns, tabs to 4 (CommonMark 2.2)."""

from __future__ import annotations


def columns(line: str) -> int:
    """The width of a line's leading white space, tabs to 4."""
    col = 0
    for char in line:
        if char == " ":
            col += 1
        elif char == "\t":
            col += 4 - col % 4
        else:
            break
    return col


def dedent(line: str, width: int) -> str:
    """The line without up to `width` columns of leading white space; a tab taken in part leaves spaces."""
    i = col = 0
    while i < len(line) and col < width:
        if line[i] == " ":
            col += 1
        elif line[i] == "\t":
            col += 4 - col % 4
        else:
            break
        i += 1
    return " " * max(0, col - width) + line[i:]
