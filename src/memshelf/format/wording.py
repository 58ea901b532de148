"""How text stands in a file: comment escapes and guards against what would be read as structure. Pure, both ways."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memshelf.format.blocks import scan
from memshelf.format.marker import escape, unescape

_ATX = re.compile(r" {0,3}(\\*)(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(\\*)(?:=+|-+)[ \t]*$")
TASK_BOX = re.compile(r"\[[ xX]\](?:[ \t]+|$)")
GUARDED_BOX = re.compile(r"\\+\[[ xX]\](?:[ \t]|$)")


def verbatim_lines(lines: list[str]) -> set[int]:
    """Indices of lines inside fences, which are written and read as they are."""
    inside: set[int] = set()
    for block in scan(lines):
        if block.type == "fence":
            inside.update(range(block.start + 1, block.end - 1 if block.closed else block.end))
    return inside


def guarded(text: str, level: int) -> str:
    """A section's body with a backslash before each line outside fences that is a heading and would end the section."""
    return "\n".join(
        line if at < 0 else f"{line[:at]}\\{line[at:]}" for line, at, _ in _would_end(text.split("\n"), level)
    )


def unguarded(text: str, level: int) -> str:
    """The text behind `guarded`."""
    return "\n".join(
        line[:at] + line[at + 1 :] if slashes else line for line, at, slashes in _would_end(text.split("\n"), level)
    )


def _would_end(lines: list[str], level: int) -> Iterator[tuple[str, int, int]]:
    """Each line with where its heading mark begins (-1: there is none) and how many backslashes stand there."""
    keep = verbatim_lines(lines)
    before = ""
    for i, line in enumerate(lines):
        match = None
        if i not in keep:
            match = _ATX.match(line)
            if match and len(match[2]) > level:
                match = None
            if not match and before:
                match = _UNDERLINE.match(line)
        yield (line, match.start(1), len(match[1])) if match else (line, -1, 0)
        before = line.strip()


def box_guarded(line: str) -> str:
    """A bullet's first line that begins with what would be its task box, with a backslash."""
    return "\\" + line if TASK_BOX.match(line) or GUARDED_BOX.match(line) else line


def unescaped(text: str) -> str:
    """Text as the caller gave it: comment escapes undone everywhere but inside fences."""
    lines = text.split("\n")
    keep = verbatim_lines(lines)
    return "\n".join(line if i in keep else unescape(line) for i, line in enumerate(lines))


def escaped(text: str) -> str:
    """Text in which no comment can begin or end, but inside fences, which stay as given."""
    if "-->" not in text and "<!--" not in text and "lt;!--" not in text and "gt;" not in text:
        return text
    raw = text.split("\n")
    safe = [escape(line) for line in raw]
    keep = verbatim_lines(safe)
    return "\n".join(raw[i] if i in keep else safe[i] for i in range(len(raw)))
