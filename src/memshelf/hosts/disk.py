"""A configuration file read whole and written whole; knows nothing of what is in it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memshelf.errors import BadRequest, ReadOnly, StoreFull, Unreadable


def read(path: Path) -> str | None:
    """The file's text with its byte order mark and line ends, None for no file. Raises: BadRequest, Unreadable."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BadRequest(
            f"{path}, line {line}: this is not UTF-8 text.", "Save it as UTF-8; nothing was written."
        ) from error
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.", path=str(path)) from error


def peek(path: Path) -> str | None:
    """The same, None for whatever stands in the way."""
    with suppress(OSError, UnicodeDecodeError):
        return path.read_bytes().decode()
    return None


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns what the disk says into a refusal that names the file. Raises: StoreFull, ReadOnly."""
    try:
        yield
    except OSError as error:
        cause = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else ReadOnly
        raise cause(f"{path} cannot be written: {error.strerror}.", "The file is as it was.", path=str(path)) from error


def replace(path: Path, text: str, like: Path) -> None:
    """Gives a file this text in one step, the old or the new one being there at any time; mode and owner as `like`."""
    fresh = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        with fresh.open("xb") as file:
            with suppress(FileNotFoundError):
                _alike(fresh, like)
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _alike(fresh: Path, like: Path) -> None:
    """Before a byte is written: a configuration may hold tokens."""
    found = like.stat()
    if not os.access(like, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(like))
    if os.name == "posix":
        with suppress(PermissionError):
            os.chown(fresh, found.st_uid, found.st_gid)
    fresh.chmod(found.st_mode & 0o7777)
