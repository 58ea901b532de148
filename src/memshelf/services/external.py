"""What people and other programs did to a store's files: noticed by content, recorded by id and hash, never undone.

Nothing of what somebody took out or rewrote is kept: it may have been a secret. No memory file is written here.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from memshelf.domain.entry import stamp
from memshelf.errors import OutOfScope, StoreTrouble, Unreadable
from memshelf.format.document import Document
from memshelf.store import files
from memshelf.store.ledger import Hashes, Seen, print_text
from memshelf.store.store import Store


@dataclass(frozen=True, slots=True)
class Event:
    """One change by hand: appeared, edited, moved or vanished; digests as in the journal."""

    op: str
    id: str
    path: str
    before: str = ""
    after: str = ""
    by: str = ""
    """The id that it has now, where a move gave an unstamped entry another."""


def look(store: Store, now: datetime) -> list[Event]:
    """Compare the whole store with what was last seen, and record each difference; the first time nothing differs.

    The store's lock is held by the caller.
    """
    known = store.ledger.prints()
    begun = store.ledger.begun()
    found: dict[str, Seen] = {}
    gone: dict[tuple[str, str], str] = {}
    new: dict[tuple[str, str], str] = {}
    events: list[Event] = []
    changes: dict[str, Seen | None] = {}
    for path in store.paths():
        with suppress(Unreadable, OutOfScope):
            print_ = files.print_of(store.resolve(path))
            mark = print_text(print_) if print_ else ""
            if known.get(path) == (mark, False):
                found[path] = Seen(mark, {})
                continue
            read = store.read(path)
            if read is None:
                continue
            found[path] = here = Seen(print_text(read.print), _hashes(store, read.document))
            was = store.ledger.file(path)
            changes[path] = here
            if was is not None or begun:
                _compare(path, was, here, events, gone, new)
    for path in known.keys() - found.keys():
        if (was := store.ledger.file(path)) is not None and not _unreadable(store, path):
            gone |= {(path, entry_id): digest for entry_id, digest in (was.entries | was.gone).items()}
            changes[path] = None
    if changes:
        store.ledger.put(changes)
    if not begun:
        store.ledger.begin()
    events += _moved(gone, new)
    record(store, events, now)
    return events


def look_at(store: Store, path: str, now: datetime) -> list[Event]:
    """The same for one file that is about to be written; what is missing in it is left for `look` to find elsewhere."""
    read = store.read(path)
    was = store.ledger.file(path)
    if read is None or (was and was.print == print_text(read.print)):
        return []
    here = _hashes(store, read.document)
    events: list[Event] = []
    gone: dict[tuple[str, str], str] = {}
    new: dict[tuple[str, str], str] = {}
    if was is not None or store.ledger.begun():
        _compare(path, was, Seen("", here), events, gone, new)
    left = {entry_id: digest for (_, entry_id), digest in gone.items()}
    store.ledger.put({path: Seen(print_text(read.print), here, left)})
    events += [Event("appeared", entry_id, where, after=digest) for (where, entry_id), digest in new.items()]
    record(store, events, now)
    return events


def wrote(store: Store, paths: Iterable[str]) -> None:
    """Remember our own write, so that it is not taken for somebody else's; what was missing stays missing."""
    changes: dict[str, Seen | None] = {}
    for path in dict.fromkeys(paths):
        read = store.read(path)
        was = store.ledger.file(path)
        left = was.gone if was else {}
        changes[path] = Seen(print_text(read.print), _hashes(store, read.document), left) if read else None
    store.ledger.put(changes)


def record(store: Store, events: Iterable[Event], now: datetime) -> None:
    """Write the events into the journal as channel `external`."""
    for event in events:
        with suppress(OSError, StoreTrouble):
            line = {
                "at": stamp(now), "op": event.op, "channel": "external", "id": event.id, "by": event.by,
                "file": store.journal.digest(event.path), "before": event.before, "after": event.after,
            }  # fmt: skip
            store.ledger.wrote(store.journal.own.name, *store.journal.append(line))


def _hashes(store: Store, document: Document) -> Hashes:
    return {
        entry.id: store.journal.digest(entry.text)
        for entry in document.entries
        if entry.grain != "file" or entry.stamped
    }


def _compare(
    path: str,
    was: Seen | None,
    here: Seen,
    events: list[Event],
    gone: dict[tuple[str, str], str],
    new: dict[tuple[str, str], str],
) -> None:
    before = was.entries | was.gone if was else {}
    for entry_id, digest in here.entries.items():
        if entry_id not in before:
            new[path, entry_id] = digest
        elif before[entry_id] != digest:
            events.append(Event("edited", entry_id, path, before[entry_id], digest))
    gone |= {(path, entry_id): digest for entry_id, digest in before.items() if entry_id not in here.entries}


def _moved(gone: dict[tuple[str, str], str], new: dict[tuple[str, str], str]) -> list[Event]:
    """What vanished here and appeared there is one move: by id, else by text, as an unstamped id goes with its path."""
    events: list[Event] = []
    by_id = {entry_id: where for where, entry_id in new}
    by_text: dict[str, list[tuple[str, str]]] = {}
    for key, digest in new.items():
        by_text.setdefault(digest, []).append(key)
    for (path, entry_id), digest in gone.items():
        if (where := by_id.get(entry_id)) and (where, entry_id) in new:
            events.append(Event("moved", entry_id, where, digest, new.pop((where, entry_id))))
        elif there := next((key for key in by_text.get(digest, []) if key in new), None):
            events.append(Event("moved", entry_id, there[0], digest, new.pop(there), by=there[1]))
        else:
            events.append(Event("vanished", entry_id, path, before=digest))
    return events + [Event("appeared", entry_id, path, after=digest) for (path, entry_id), digest in new.items()]


def _unreadable(store: Store, path: str) -> bool:
    """Whether a file that was not read is there all the same: then nothing of it has vanished."""
    try:
        return files.print_of(store.resolve(path)) is not None
    except (Unreadable, OutOfScope):
        return True
