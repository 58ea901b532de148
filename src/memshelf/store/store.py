"""One store: a folder of markdown files, read with a cache that pulls, changed under one lock."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memshelf.domain.entry import ID
from memshelf.domain.kinds import load
from memshelf.domain.layout import Place, check_path, place
from memshelf.errors import BadName, NotFound, OutOfScope, Unreadable
from memshelf.format.document import Document
from memshelf.format.reader import parse
from memshelf.store import files
from memshelf.store.journal import Journal
from memshelf.store.ledger import Ledger
from memshelf.store.lock import StoreLock

ARCHIVE = ".archive"
GITIGNORE = "# Local to this machine; keep and commit everything else.\n.lock/\n.local/\n.journal/\nworking/\nNOW.md\n"

_CONFLICT_COPY = re.compile(r"\.sync-conflict-|conflicted copy|\(conflict", re.I)
_EDITOR_LITTER = re.compile(r"^[.#~]|~$|\.sw[a-p]$|\.memshelf-tmp$|\.(?:tmp|bak|orig|rej)$", re.I)


class Overtaken(Exception):
    """Somebody saved the file since it was read: what was planned on it no longer holds."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A file that could not be read, or stands where none should, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Read:
    """A parsed file as the store holds it."""

    place: Place
    document: Document
    etag: str
    print: files.Print


class Store:
    """A user store or a project store at a folder that may not exist yet."""

    def __init__(self, root: Path, scope: str, label: str) -> None:
        self.root = root
        self.scope = scope
        """`user` or `project`: which rows of the table apply."""
        self.label = label
        """First part of every address: `user` or the project's slug."""
        self.journal = Journal(root)
        self.ledger = Ledger(root)
        self._cache: dict[str, tuple[files.Snapshot, Read]] = {}
        self._lock = StoreLock(root)

    # -- where -----------------------------------------------------------------------------------------------------

    def exists(self) -> bool:
        return self.root.is_dir()

    def create(self) -> bool:
        """Make the folder with the .gitignore for what is local; whether it was new.

        One whose making was cut short, with nothing in it yet but our own, is made whole; one that a person made
        without a .gitignore stays as they want it.
        """
        if (self.root / ".gitignore").exists() or not self._bare():
            return False
        with self._lock.held():
            ignore = self.root / ".gitignore"
            files.edit(ignore, lambda before: before if before is not None else GITIGNORE.encode())
        return True

    def _bare(self) -> bool:
        try:
            return all(one.name == ".lock" or files.is_temp(one.name) for one in self.root.iterdir())
        except FileNotFoundError:
            return True
        except OSError:  # said by whoever takes the lock
            return False

    def address(self, path: str, entry_id: str = "") -> str:
        return f"{self.label}/{path}" + (f"#{entry_id}" if entry_id else "")

    def resolve(self, path: str) -> Path:
        """The file behind a relative path, links followed.

        Raises:
            BadName: the path would escape by its words.
            OutOfScope: a link on its way leads out of the store.
        """
        relative = path.removeprefix(f"{ARCHIVE}/")
        full = self.root / (f"{ARCHIVE}/" if relative != path else "") / check_path(relative)
        try:
            real, home = full.resolve(), self.root.resolve()
        except (OSError, RuntimeError) as trouble:
            raise Unreadable(
                f"{self.address(path)} cannot be followed: {trouble}.", "Remove the looping link."
            ) from None
        if real != home and home not in real.parents:
            raise OutOfScope(
                f"{self.address(path)} is a link that leads out of the store.",
                "Put the file itself into the store, or address another file.",
            )
        return real

    # -- reading ---------------------------------------------------------------------------------------------------

    def read(self, path: str) -> Read | None:
        """A file, parsed; None where there is none. Parsed anew only when the file's print says that somebody wrote.

        Raises:
            Unreadable: it is there and cannot be read; it is never taken for an empty one.
        """
        real = self.resolve(path)
        now = files.print_of(real)
        if now is None:
            self._cache.pop(path, None)
            return None
        known = self._cache.get(path)
        if known and known[0].settled and known[0].print == now:
            return known[1]
        snapshot = files.read(real)
        if snapshot is None:
            self._cache.pop(path, None)
            return None
        if known and known[0].data == snapshot.data:
            fresh = Read(known[1].place, known[1].document, known[1].etag, snapshot.print)
        else:
            fresh = Read(self.place(path), self.parse(path, snapshot.data), files.etag(snapshot.data), snapshot.print)
        self._cache[path] = (snapshot, fresh)
        return fresh

    def raw(self, path: str) -> bytes | None:
        """A file's bytes without parsing them; None where there is none.

        Raises:
            Unreadable: it is there and cannot be read.
        """
        known = self._cache.get(path)
        real = self.resolve(path)
        if known and known[0].settled and known[0].print == files.print_of(real):
            return known[0].data
        snapshot = files.read(real)
        return snapshot.data if snapshot else None

    def place(self, path: str) -> Place:
        return place(self.scope, path.removeprefix(f"{ARCHIVE}/"))

    def parse(self, path: str, data: bytes) -> Document:
        # The archive holds ended texts one under the other, whole files too.
        grain = "bullet" if path.startswith(f"{ARCHIVE}/") else load()[self.place(path).kind].grain
        return parse(data, f"{self.scope}/{path}", grain)

    def paths(self, trouble: list[Trouble] | None = None, archived: bool = False, under: str = "") -> Iterator[str]:
        """Every markdown file, sorted, as relative path: with `archived` those of the archive instead, with `under`
        only those below that folder.

        Dot folders, conflict copies of sync tools, editors' litter and links out of the store are left out; what is
        left out and looks like a memory goes into `trouble`.
        """
        start = self.root / ARCHIVE if archived else self.root
        prefix = f"{ARCHIVE}/" if archived else ""
        inner = f"{under}/" if under else ""
        home = self.root.resolve()
        if under and not _inside(start / under, home):
            return
        for relative in _walk(start / under, inner, home, set(), trouble):
            yield prefix + relative

    def every(self, trouble: list[Trouble] | None = None, archived: bool = False) -> Iterator[Read]:
        """Every readable file, parsed; the others go into `trouble` and do not stop the rest."""
        for path in self.paths(trouble, archived):
            try:
                read = self.read(path)
            except (Unreadable, OutOfScope) as why:
                if trouble is not None:
                    trouble.append(Trouble(path, why.what))
                continue
            if read is not None:
                yield read

    # -- writing ---------------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[None]:
        """The store's lock, held; the store is there afterwards.

        Raises:
            LockTimeout, ReadOnly, StoreFull: nothing was written.
        """
        with self._lock.held():
            yield

    def put(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Write one file, or remove it, if it is still `before`; the lock is held by the caller (`writing`).

        Raises:
            Overtaken: it is not; nothing was written.
            ChangedUnderneath, ReadOnly, StoreFull, Unreadable: as for `files.edit`.
        """

        def change(now: bytes | None) -> bytes | None:
            if now != before:
                raise Overtaken
            return after

        files.edit(self.resolve(path), change)
        self._cache.pop(path, None)


def _walk(
    folder: Path, prefix: str, home: Path, seen: set[tuple[int, int]], trouble: list[Trouble] | None
) -> Iterator[str]:
    try:
        with os.scandir(folder) as listing:
            found = sorted(listing, key=lambda item: item.name)
        here = folder.stat()
    except FileNotFoundError:
        return
    except OSError as why:
        if trouble is not None:
            trouble.append(Trouble(prefix or ".", f"the folder cannot be read: {why.strerror}"))
        return
    if (here.st_dev, here.st_ino) in seen:
        return
    seen = seen | {(here.st_dev, here.st_ino)}
    for item in found:
        path = prefix + item.name
        if item.name.startswith("."):
            continue
        try:
            if item.is_dir():
                if item.is_symlink() and not _inside(Path(item.path), home):
                    _say(trouble, path, "a link that leads out of the store")
                else:
                    yield from _walk(Path(item.path), path + "/", home, seen, trouble)
                continue
            if not item.name.endswith(".md") or _EDITOR_LITTER.search(item.name):
                continue
            if _CONFLICT_COPY.search(item.name):
                _say(trouble, path, "a conflict copy left by a sync tool; merge it by hand and remove it")
            elif item.is_symlink() and not _inside(Path(item.path), home):
                _say(trouble, path, "a link that leads out of the store")
            elif not stat.S_ISREG(item.stat().st_mode):
                _say(trouble, path, "not a regular file")
            else:
                check_path(path)
                yield path
        except BadName:
            _say(trouble, path, "a name that no other system can hold")
        except OSError as why:
            _say(trouble, path, why.strerror or str(why))


def _say(trouble: list[Trouble] | None, path: str, why: str) -> None:
    if trouble is not None:
        trouble.append(Trouble(path, why))


def _inside(link: Path, home: Path) -> bool:
    try:
        real = link.resolve()
    except (OSError, RuntimeError):
        return False
    return real == home or home in real.parents


def split_address(address: str) -> tuple[str, str, str]:
    """An address `label/path#id` as (label, path, id); a bare id as ("", "", id).

    Raises:
        NotFound: it has neither form; an id is matched whole, so it is never a path.
    """
    rest, _, entry_id = address.strip().rpartition("#")
    if not ID.fullmatch(entry_id):
        raise NotFound(
            f"{address!r} is no id.",
            "Pass the 12 hex characters or the whole address that search_memory returned as 'id'.",
        )
    label, _, path = rest.partition("/")
    return label, path, entry_id
