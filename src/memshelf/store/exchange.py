"""Names moved in one step, as each system can. Knows nothing of what the files hold."""

from __future__ import annotations

import errno
import ntpath
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from memshelf.store.faults import step

_LONG = 240
"""Windows refuses a plain path of 260 characters; a temp name beside the file needs some of them."""
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV, errno.EPERM}
"""What a file system or a sandbox says that cannot do the call; a true EPERM comes back from the plain rename."""
_SHARING_PAUSES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.3)


def swap(one: Path, other: Path) -> bool:
    """Exchange two names; False where the file system cannot, and then nothing has moved.

    Raises: OSError, FileNotFoundError when either is gone.
    """
    return _flagged("swap", one, other)


def rename_new(source: Path, target: Path) -> None:
    """Rename, but never over something.

    Raises: OSError, FileExistsError when `target` is there; both names are as they were.
    """
    if os.name == "nt":
        patiently(extended(source).rename, extended(target))  # never replaces on Windows
        return
    if _flagged("new", source, target):
        return
    try:
        target.hardlink_to(source)  # NFS knows no rename flags, but links
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        source.rename(target)  # neither flags nor links: the lock keeps at least other memshelfs out
        return
    source.unlink()


def replace(source: Path, target: Path) -> None:
    """Rename over something. Raises: OSError."""
    patiently(extended(source).replace, extended(target))


def make_folder(folder: Path) -> None:
    """The folder and those above it, each one there to stay. Raises: OSError."""
    if extended(folder).is_dir():
        return
    make_folder(folder.parent)
    step("mkdir")
    with suppress(FileExistsError):  # a file of that name is found by the next step
        extended(folder).mkdir()
    synced(folder.parent)


def synced(folder: Path) -> bool:
    """Let the folder's names outlive a power cut; Windows has no such call. Raises: OSError."""
    if os.name == "nt":
        return True
    step("fsync-folder")
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network and FUSE disks cannot
            raise
    finally:
        os.close(fd)
    return True


def being_written(path: Path) -> bool:
    """Whether some process has the file open for writing; False also where the system (not Linux) does not tell.

    Only for a name that nobody else opens: a lease holds up whoever comes to write.
    """
    if sys.platform != "linux":
        return False
    import fcntl

    with path.open("rb", buffering=0) as file:
        try:
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)  # ignored unless handled; the default would kill us
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)  # granted only where there is no writer
        except OSError as error:
            return error.errno == errno.EAGAIN
    return False


def patiently(call: Callable[..., Any], *names: Path) -> None:
    """Call; on Windows again for about a second, while a reader or a virus scanner has the file open.

    Raises: OSError.
    """
    for pause in _SHARING_PAUSES if os.name == "nt" else ():
        try:
            call(*names)
        except PermissionError:
            time.sleep(pause)
        else:
            return
    call(*names)


def extended(path: Path) -> Path:
    r"""The path as the system takes it: on Windows with `\\?\` in front when it is long."""
    return Path(unlimited(str(path))) if os.name == "nt" and len(str(path)) > _LONG else path


def unlimited(path: str) -> str:
    r"""A Windows path in the form that has no length limit, `\\?\C:\...` or `\\?\UNC\host\share\...`."""
    path = ntpath.normpath(path)  # the long form is taken literally: no slashes, no dots
    if path.startswith("\\\\?\\"):
        return path
    return "\\\\?\\UNC\\" + path[2:] if path.startswith("\\\\") else "\\\\?\\" + path


def _flagged(what: str, one: Path, other: Path) -> bool:
    call, flags = _system_rename()
    if call is None:
        return False
    code = call(os.fsencode(one), os.fsencode(other), flags[what])
    if code and code not in _UNSUPPORTED:
        raise OSError(code, os.strerror(code), str(one), None, str(other))
    return code == 0


@cache
def _system_rename() -> tuple[Callable[[bytes, bytes, int], int] | None, dict[str, int]]:
    """The system's rename with flags, as a function that returns an errno or 0, and the flags' values."""
    import ctypes  # 5 ms that only a write needs

    if sys.platform not in ("linux", "darwin"):
        return None, {}
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux":  # linux/fs.h; here = AT_FDCWD in fcntl.h
        name, here, flags = "renameat2", (ctypes.c_int(-100),), {"new": 1, "swap": 2}
    else:  # sys/stdio.h
        name, here, flags = "renamex_np", (), {"new": 4, "swap": 2}
    try:
        function = getattr(libc, name)
    except AttributeError:  # musl before 1.2.6
        return None, {}

    def call(one: bytes, other: bytes, flag: int) -> int:
        done = function(*here, ctypes.c_char_p(one), *here, ctypes.c_char_p(other), ctypes.c_uint(flag))
        return ctypes.get_errno() if done else 0

    return call, flags
