"""One file looked at and read whole, while other programs may be saving it. Writes nothing."""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from memshelf.errors import Unreadable
from memshelf.store.exchange import extended
from memshelf.store.faults import step

CALM = 0.05
"""Seconds without a write after which a save counts as finished: VS Code truncates, then writes."""
CALM_EMPTY = 0.25
"""The same for an empty file, which is most often a truncate whose write has not come yet."""
RACY = 2.0
"""Seconds within which two writes may leave the same mtime: the coarsest file system (FAT) counts in twos."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFLNK: "a link"}


class Print(NamedTuple):
    """What a stat says of a file; equal while nobody wrote."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class Snapshot(NamedTuple):
    """A file's bytes and the print they were read under."""

    data: bytes
    print: Print
    settled: bool
    """False: the mtime was so fresh that an equal print later does not prove equal bytes, as git's racy entries."""


def print_of(path: Path) -> Print | None:
    """The file's print, links followed; None when there is no such file.

    Raises:
        Unreadable: it is not a regular file, and was not opened; or it cannot be looked at.
    """
    try:
        found = extended(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(path, error) from error
    return regular(path, found)


def regular(path: Path, found: os.stat_result) -> Print:
    """The print in a stat. Raises: Unreadable, it is not a regular file."""
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "a device")
        raise Unreadable(f"{path} is {kind}, not a file.", "Move it away.", path=str(path))
    return Print(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def read(path: Path, *, patience: float = 0.5) -> Snapshot | None:
    """The file's bytes once a save in progress has come to rest, None when there is no file.

    After `patience` seconds without rest it returns what is there, not settled.

    Raises:
        Unreadable: no right to read, an I/O error, or not a regular file.
    """
    give_up = time.monotonic() + patience
    while True:
        if _at_rest(path, give_up) is None:
            return None
        now = time.time_ns()
        try:
            step("look")
            fd = os.open(extended(path), _FLAGS)  # O_NONBLOCK: never waits for a FIFO that came in between
            with os.fdopen(fd, "rb", buffering=0) as file:
                first = regular(path, os.fstat(fd))
                step("read")
                data = file.read()
                last = regular(path, os.fstat(fd))
        except FileNotFoundError:
            if time.monotonic() < give_up:
                continue
            return None
        except OSError as error:
            raise _unreadable(path, error) from error
        whole = first == last == print_of(path)
        if whole or time.monotonic() >= give_up:
            return Snapshot(data, last, whole and abs(now - last.mtime_ns) >= RACY * 1e9)


def _at_rest(path: Path, give_up: float) -> Print | None:
    """Wait until nobody has written for a moment, or until `give_up`."""
    seen, since = print_of(path), time.monotonic()
    while True:
        now = time.monotonic()
        if seen is None:
            rest = give_up if _being_renamed(path) else now
        else:
            calm = CALM if seen.size else CALM_EMPTY
            age = (time.time_ns() - seen.mtime_ns) / 1e9
            # A clock ahead of ours (a network disk) makes an age useless; then rest is what we saw ourselves.
            rest = now if age < -RACY else min(now + calm - age, since + calm)
        left = min(rest, give_up) - now
        if left <= 0:
            return seen
        step("wait")
        time.sleep(min(left, 0.01))
        if (fresh := print_of(path)) != seen:
            seen, since = fresh, time.monotonic()


def _being_renamed(path: Path) -> bool:
    """Whether an editor has just moved the file to its backup and not yet written the new one (vim, Emacs)."""
    with suppress(OSError):
        moved = extended(path.with_name(path.name + "~")).stat().st_ctime_ns
        return abs(time.time_ns() - moved) < 1e9
    return False


def _unreadable(path: Path, error: OSError) -> Unreadable:
    denied = isinstance(error, PermissionError)
    remedy = "Give this user the right to read it." if denied else "Check the disk, or move it away."
    return Unreadable(f"{path} cannot be read: {error.strerror}.", remedy, path=str(path))
