"""What this machine last saw in a store: per file its print, and per entry the hash of its text, never the text.

Derived and local (`.local/ledger.sqlite`): what differs from it was changed by somebody else. Where it is lost it
is made anew from what is there, and only changes from then on are noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memshelf.errors import Unreadable
from memshelf.store.faults import step
from memshelf.store.journal import local_folder
from memshelf.store.snapshot import Print

if TYPE_CHECKING:
    import sqlite3

_SCHEMA = """
PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA secure_delete=ON;
CREATE TABLE IF NOT EXISTS file(path TEXT PRIMARY KEY, print TEXT NOT NULL, entries BLOB NOT NULL, gone BLOB NOT NULL)
  WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS head(journal TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS fact(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
PRAGMA user_version=1;
"""
_PAIR = 6 + 8
"""Bytes of an entry: its id, and the 16 hex of the journal's digest of its text."""
_T = TypeVar("_T")

Hashes = dict[str, str]
"""Id to digest, in the order of the file."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was last seen."""

    print: str
    entries: Hashes
    gone: Hashes = field(default_factory=dict)
    """What was missing when the file alone was looked at; it may stand elsewhere by now."""


def print_text(print_: Print) -> str:
    """A print as it is kept: inode, size, mtime; a change of rights or a new link is no change."""
    return f"{print_.inode}:{print_.size}:{print_.mtime_ns}"


@dataclass(slots=True)
class Ledger:
    """The ledger of the store at `root`; used under the store's lock but for reading."""

    root: Path

    @property
    def path(self) -> Path:
        return self.root / ".local" / "ledger.sqlite"

    def begun(self) -> bool:
        """Whether all of the store has been looked at once."""
        return self.path.is_file() and self._do(lambda db: bool(_fact(db, "begun")))

    def begin(self) -> None:
        self._do(lambda db: db.execute("INSERT OR REPLACE INTO fact VALUES('begun', '1')"))

    def file(self, path: str) -> Seen | None:
        return self._do(lambda db: _seen(db.execute("SELECT print, entries, gone FROM file WHERE path=?", (path,))))

    def prints(self) -> dict[str, tuple[str, bool]]:
        """Each file's print, and whether something of it was missing when it alone was looked at."""
        return self._do(
            lambda db: {p: (mark, bool(gone)) for p, mark, gone in db.execute("SELECT path, print, gone FROM file")}
        )

    def put(self, files: Mapping[str, Seen | None]) -> None:
        """Remember files as they are now; None forgets one."""
        step("ledger")

        def change(db: sqlite3.Connection) -> None:
            for path, seen in files.items():
                if seen is None:
                    db.execute("DELETE FROM file WHERE path=?", (path,))
                else:
                    row = (path, seen.print, _packed(seen.entries), _packed(seen.gone))
                    db.execute("INSERT OR REPLACE INTO file VALUES(?,?,?,?)", row)

        self._do(change)

    def wrote(self, journal: str, seq: int, line_hash: str) -> None:
        """Remember the last line of a journal, so that an audit misses it when it is cut off."""
        self._do(lambda db: db.execute("INSERT OR REPLACE INTO head VALUES(?,?,?)", (journal, seq, line_hash)))

    def heads(self) -> dict[str, tuple[int, str]]:
        if not self.path.is_file():
            return {}
        return self._do(lambda db: {name: (seq, found) for name, seq, found in db.execute("SELECT * FROM head")})

    def _do(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """The work on an open ledger; one that is broken is removed and begun anew.

        Raises:
            Unreadable: it cannot be opened or written.
        """
        import sqlite3  # by the first write; the server's start does not

        try:
            with self._open() as db:
                return work(db)
        except sqlite3.OperationalError as error:
            raise Unreadable(f"{self.path} cannot be used: {error}.", "Move it away, or check the disk.") from error
        except sqlite3.DatabaseError:
            for file in self.path.parent.glob(self.path.name + "*"):
                with suppress(OSError):
                    file.unlink()
            with self._open() as db:
                return work(db)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        import sqlite3

        local_folder(self.root, ".local")
        db = sqlite3.connect(self.path, timeout=10)
        try:
            if db.execute("PRAGMA user_version").fetchone()[0] != 1:
                db.executescript(_SCHEMA)
            db.execute("PRAGMA synchronous=OFF")
            db.execute("PRAGMA secure_delete=ON")
            with db:
                yield db
        finally:
            db.close()


def _fact(db: sqlite3.Connection, name: str) -> str:
    row = db.execute("SELECT value FROM fact WHERE name=?", (name,)).fetchone()
    return row[0] if row else ""


def _seen(rows: sqlite3.Cursor) -> Seen | None:
    row = rows.fetchone()
    return Seen(row[0], _unpacked(row[1]), _unpacked(row[2])) if row else None


def _packed(entries: Hashes) -> bytes:
    return b"".join(bytes.fromhex(entry_id) + bytes.fromhex(digest) for entry_id, digest in entries.items())


def _unpacked(data: bytes) -> Hashes:
    pairs = (data[i : i + _PAIR] for i in range(0, len(data), _PAIR))
    return {pair[:6].hex(): pair[6:].hex() for pair in pairs}
