"""The hook by which tests fail, interrupt or kill a write at any step. Does nothing in use; knows nothing of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def step(name: str) -> None:
    """Called just before each thing that can fail or be overtaken.

    Names: look, read, wait; mkdir, open, write, fsync, rename (the one that takes effect), rename-back, fsync-folder,
    unlink; journal, journal-write, ledger.
    """
    _at(name)


@contextmanager
def faults(at: Callable[[str], None]) -> Iterator[None]:
    """For tests: `at` gets the name of each step in this process, and may raise an OSError or write to the file."""
    global _at
    usual, _at = _at, at
    try:
        yield
    finally:
        _at = usual


def _killer(when: str) -> Callable[[str], None]:
    """`rename:2` ends the process before its second rename as a power cut would: no handler runs, nothing is tidied."""
    name, _, count = when.partition(":")
    left = int(count or 1)

    def at(here: str) -> None:
        nonlocal left
        left -= here == name
        if left == 0:
            os.kill(os.getpid(), 9)

    return at


_killing = os.environ.get("MEMSHELF_FAIL_AT")
_at: Callable[[str], None] = _killer(_killing) if _killing else lambda _: None
