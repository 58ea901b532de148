"""The one lock of a store: who holds it is the only writer. Knows nothing of files in the store."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memshelf.errors import LockTimeout, ReadOnly, StoreFull, StoreTrouble, Unreadable

_POLL = 0.005
"""Seconds between two looks at a busy lock; an edit takes a few milliseconds."""


class _Gate:
    """What threads of this process queue at: flock would let a second descriptor of one process only time out."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.owner = 0


_gates: dict[str, _Gate] = {}
if hasattr(os, "register_at_fork"):
    # A forked child has none of the threads that hold gates; the kernel's lock still keeps it out.
    os.register_at_fork(after_in_child=_gates.clear)


class StoreLock:
    """The write lock of the store at `root`: a kernel lock on `root/.lock/write.lock`, so a killed holder frees it.

    The file is never unlinked, or two holders could lock two files of one name.
    """

    def __init__(self, root: Path, timeout: float = 10.0) -> None:
        self.root = root
        self.timeout = timeout
        """Seconds, for threads and processes together."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Run the block as the only writer of all threads and processes; makes the store's folder where there is none.

        Raises:
            LockTimeout, ReadOnly, StoreFull, Unreadable: nothing was written.
            RuntimeError: this thread holds it already; two edits never nest.
        """
        deadline = time.monotonic() + self.timeout
        gate = _gates.setdefault(os.path.realpath(self.root), _Gate())
        if gate.owner == threading.get_ident():
            raise RuntimeError(f"the lock of {self.root} is held by this thread already")
        if not gate.lock.acquire(timeout=max(0.0, self.timeout)):
            raise self._busy()
        try:
            gate.owner = threading.get_ident()
            with self._kernel_lock(deadline):
                yield
        finally:
            gate.owner = 0
            gate.lock.release()

    @contextmanager
    def _kernel_lock(self, deadline: float) -> Iterator[None]:
        # Imported by the first write: it costs about 100 ms, which a search should not pay.
        from filelock import FileLock, Timeout

        try:
            # Without fallback_to_soft=False a file system without flock would silently change the protocol.
            file = FileLock(self._path(), fallback_to_soft=False, poll_interval=_POLL)
            file.acquire(timeout=max(0.0, deadline - time.monotonic()))
        except Timeout:
            raise self._busy() from None
        except NotImplementedError as error:
            raise Unreadable(
                f"The file system of {self.root} has no file locks; nothing was written.",
                "Move the store to a local disk.",
            ) from error
        except OSError as error:
            raise self._trouble(error) from error
        try:
            yield
        finally:
            # Closing the descriptor frees the lock even where unlocking is answered with an error.
            with suppress(OSError):
                file.release()

    def _path(self) -> Path:
        folder = self.root / ".lock"
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
        return folder / "write.lock"

    def _busy(self) -> LockTimeout:
        return LockTimeout(
            f"Another process has been writing to {self.root} for more than {self.timeout:g} s; nothing was written.",
            "Try again.",
            path=str(self.root),
        )

    def _trouble(self, error: OSError) -> StoreTrouble:
        where = str(error.filename or self.root)
        said = f"{where} cannot be locked: {error.strerror}; nothing was written."
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return StoreFull(said, "Make room, then try again.", path=where)
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return ReadOnly(said, "Make the store writable for this user, or move it.", path=where)
        for part in (self.root / ".lock", self.root, *self.root.parents):
            if os.path.lexists(part) and not part.is_dir():
                said = f"{part} is a file where memshelf needs a folder; nothing was written."
                return ReadOnly(said, "Move it away.", path=str(part))
        return Unreadable(said, "Check the disk.", path=where)
