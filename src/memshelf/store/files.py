"""One file replaced whole by compare-and-swap. Knows no markdown and no store; its caller holds the lock.

Another program may save the same file at any moment and takes no lock: every step here expects it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from memshelf.errors import ChangedUnderneath, ReadOnly, StoreFull, StoreTrouble, Unreadable
from memshelf.store.exchange import being_written, extended, make_folder, patiently, rename_new, replace, swap, synced
from memshelf.store.faults import faults, step
from memshelf.store.snapshot import CALM, Print, Snapshot, print_of, read

TRIES, TRYING = 50, 5.0
"""Bounds of `edit` against a file that never rests: rounds, and seconds, which stay below the lock's timeout."""
WARY = 25
"""Rounds in which a program that holds the file open for writing is waited for; some keep it open and never write."""

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_TEMP = re.compile(r"\..*\.[0-9a-f]{8}\.memshelf-tmp", re.S)
_swept: set[Path] = set()


class Edited(NamedTuple):
    """Bytes around an edit, None for no file; equal: nothing was written."""

    before: bytes | None
    after: bytes | None


class _Mark(NamedTuple):
    """What of a print stays when a file is renamed; the ctime does not."""

    inode: int
    size: int
    mtime_ns: int


def etag(data: bytes) -> str:
    """The first 16 hex digits of the SHA-256."""
    return sha256(data).hexdigest()[:16]


def edit(path: Path, change: Callable[[bytes | None], bytes | None]) -> Edited:
    """Change one file by compare-and-swap; the store's lock is held by the caller, links are resolved.

    `change` sees the bytes that are there (None: no file) and returns those that shall be (None: no file). It runs
    again on the new bytes when somebody saved in between, so it is pure; when it raises, nothing was touched.

    Raises:
        ChangedUnderneath: the file never came to rest.
        ReadOnly, StoreFull, Unreadable: the disk would not; the file is as it was, or at worst wholly as it should be.
    """
    deadline = time.monotonic() + TRYING
    for round_ in range(TRIES):
        base = read(path)
        before = base.data if base else None
        after = change(before)
        if after == before:
            return Edited(before, before)
        try:
            _check_writable(path)
            if after is None:
                done = base is None or _remove(path, base, round_ < WARY)
            else:
                done = _replace(path, base, after, round_ < WARY) if base else _create(path, after)
        except OSError as error:
            raise _trouble(path, error) from error
        if done:
            return Edited(before, after)
        if time.monotonic() > deadline:
            break
        step("wait")
        time.sleep(0.01)
    raise ChangedUnderneath(
        f"{path} keeps changing: another program writes to it all the time; nothing was written.",
        "Try again when that program is done.",
        path=str(path),
    )


# -- three ways to take effect; False: somebody else wrote first, and nothing of ours is there ----------------------


def _create(path: Path, data: bytes) -> bool:
    with _temp(path, data, None) as (temp, ours):
        step("rename")
        try:
            rename_new(temp, path)
        except FileExistsError:
            return False
        try:
            synced(path.parent)
        except BaseException:
            if _mark(path) == ours:
                extended(path).rename(extended(temp))
            raise
    return True


def _replace(path: Path, base: Snapshot, data: bytes, wary: bool) -> bool:
    with _temp(path, data, path) as (temp, ours):
        if not _holds(path, base):
            return False
        step("rename")
        try:
            swapped = swap(temp, path)
            if not swapped:
                replace(temp, path)
        except FileNotFoundError:
            return False
        if not swapped:
            return synced(path.parent)
        # The temp name holds what was replaced; somebody may have saved since we compared.
        try:
            kept = _still(temp, base, wary)
        except BaseException:
            _swap_back(temp, path, ours)
            raise
        if not kept:
            _swap_back(temp, path, ours)
        return kept


def _swap_back(temp: Path, path: Path, ours: _Mark) -> None:
    """Give `path` back what was there; of several saves by others the last wins, as it would without us."""
    for _ in range(TRIES):
        theirs = _mark(temp)
        try:
            step("rename-back")
            moved = swap(temp, path)
        except OSError:  # removed since, or a failing disk
            moved = False
        if not moved:
            replace(temp, path)
            return
        if _mark(temp) == ours or theirs is None:
            return
        ours = theirs


def _remove(path: Path, base: Snapshot, wary: bool) -> bool:
    if not _holds(path, base):
        return False
    temp = _temp_name(path)
    step("rename")
    try:
        patiently(extended(path).rename, extended(temp))
    except FileNotFoundError:
        return False
    try:
        gone = _still(temp, base, wary)
        if not gone:
            _restore(temp, path)
    except BaseException:
        _restore(temp, path)
        raise
    if gone:
        _drop(temp)
    return gone


def _restore(temp: Path, path: Path) -> None:
    try:
        rename_new(temp, path)
    except FileExistsError:  # saved anew since, which is later
        _drop(temp)


def _holds(path: Path, base: Snapshot) -> bool:
    """Whether the file is still what `base` was read from: the same one, not written to, the same bytes."""
    like = base.print[:3]
    if _mark(path) != like:
        return False
    with suppress(FileNotFoundError):
        return extended(path).read_bytes() == base.data and _mark(path) == like
    return False


def _still(temp: Path, base: Snapshot, wary: bool) -> bool:
    """The same of a file moved to `temp`, once that is on the disk, and that nobody is about to write into it."""
    # Before and after the slow part: the first spares it, the second sees who opened the file before it was moved.
    return _holds(temp, base) and synced(temp.parent) and not (wary and being_written(temp)) and _holds(temp, base)


def _mark(path: Path) -> _Mark | None:
    """Links not followed: one that came in between is not what was there."""
    with suppress(FileNotFoundError, NotADirectoryError):
        found = extended(path).lstat()
        return _Mark(found.st_ino, found.st_size, found.st_mtime_ns)
    return None


# -- temp files ----------------------------------------------------------------------------------------------------


@contextmanager
def _temp(path: Path, data: bytes, like: Path | None) -> Iterator[tuple[Path, _Mark]]:
    """A synced file beside `path` with `data` in it and the mode of `like`; the name is free again afterwards."""
    make_folder(path.parent)
    _sweep(path.parent)
    temp = _temp_name(path)
    model = extended(like).stat() if like else None
    step("open")
    # Private until it has the mode of the file it stands for; a new file gets what the umask leaves.
    fd = os.open(extended(temp), _CREATE, 0o600 if model else 0o666)
    try:
        try:
            if model and os.name == "posix":
                with suppress(PermissionError):  # only root gives files away, only members give them to a group
                    os.fchown(fd, -1, model.st_gid)
                    os.fchown(fd, model.st_uid, -1)
                os.fchmod(fd, stat.S_IMODE(model.st_mode))
            _fill(fd, data)
            # Our files are whole at birth: dated back, so that nobody waits for them to come to rest. But later than
            # what they replace, by a millisecond because VS Code compares in those to notice that a file changed.
            mtime = max(time.time_ns() - int((CALM + 0.01) * 1e9), model.st_mtime_ns + 1_000_000 if model else 0)
            with suppress(OSError):
                os.utime(fd if os.utime in os.supports_fd else extended(temp), ns=(mtime, mtime))
            step("fsync")
            os.fsync(fd)
            found = os.fstat(fd)
        finally:
            os.close(fd)
        yield temp, _Mark(found.st_ino, found.st_size, found.st_mtime_ns)
    finally:
        _drop(temp)


def _fill(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        step("write")
        rest = rest[os.write(fd, rest) :]


def _temp_name(path: Path) -> Path:
    tail = f".{os.urandom(4).hex()}.memshelf-tmp"
    name = os.fsencode(path.name)[: 254 - len(tail)]  # a name has 255 bytes at most
    return path.with_name(f".{name.decode(errors='ignore')}{tail}")


def _drop(temp: Path) -> None:
    try:
        step("unlink")
        patiently(extended(temp).unlink)
    except FileNotFoundError:
        pass
    except OSError:  # the edit itself is decided by now; the next one in this folder tries again
        _swept.discard(temp.parent)


def _sweep(folder: Path) -> None:
    """Remove what killed processes left, once a process; under the lock no temp file is anybody's work in progress."""
    if folder in _swept:
        return
    _swept.add(folder)
    with suppress(OSError), os.scandir(extended(folder)) as listing:
        for item in listing:
            if is_temp(item.name):
                _drop(folder / item.name)


def is_temp(name: str) -> bool:
    """Whether a file is one of ours on its way to its name."""
    return _TEMP.fullmatch(name) is not None


def sweep(root: Path) -> None:
    """Remove what killed processes left anywhere below a folder; its lock is held. Raises: OSError."""
    for folder, _, names in os.walk(extended(root)):
        for name in names:
            if is_temp(name):
                step("unlink")
                (Path(folder) / name).unlink(missing_ok=True)


# -- causes --------------------------------------------------------------------------------------------------------


def _check_writable(path: Path) -> None:
    """Raises: ReadOnly, for root too: a person who took every right to write meant it."""
    with suppress(FileNotFoundError, NotADirectoryError):
        found = extended(path).lstat()
        if stat.S_ISLNK(found.st_mode):  # the caller resolved it; one that came since may lead anywhere
            raise Unreadable(f"{path} is a link; nothing was written.", "Move it away, or try again.", path=str(path))
        if found.st_mode & 0o222 == 0:
            raise ReadOnly(f"{path} is read-only; nothing was written.", "Make it writable or move it.", path=str(path))


def _trouble(path: Path, error: OSError) -> StoreTrouble:
    said = f"{path} cannot be written: {error.strerror}."
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return StoreFull(said, "Make room, then try again.", path=str(path))
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ReadOnly(said, "Make the file and its folder writable for this user.", path=str(path))
    for folder in path.parents:
        if os.path.lexists(folder) and not folder.is_dir():
            return Unreadable(f"{folder} is not a folder, so {path} cannot be there.", "Move it away.", path=str(path))
    return Unreadable(said, "Check the disk.", path=str(path))


__all__ = ["Edited", "Print", "Snapshot", "edit", "etag", "faults", "print_of", "read", "step"]
