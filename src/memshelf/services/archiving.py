"""What age alone puts into the cold store, by the hard rules of its kind; never a decision, preference or person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from memshelf.domain.entry import instant
from memshelf.domain.kinds import load
from memshelf.format.document import Document
from memshelf.services.addressing import Located
from memshelf.store.store import Read, Store

LOOKED_BACK = "reflection"
"""The kind that says that what happened until its day was thought about."""


@dataclass(frozen=True, slots=True)
class Due:
    """A file that may be archived, and why."""

    store: Store
    read: Read
    why: str

    @property
    def entries(self) -> list[Located]:
        """What is ended for it: the whole file where that is an entry, else each entry, the last first."""
        entries = self.read.document.entries
        if entries and entries[0].grain == "file":
            return [Located(self.store, self.read, 0)]
        return [Located(self.store, self.read, i) for i in reversed(range(len(entries)))]


def due(store: Store, now: datetime) -> list[Due]:
    """The files that are old enough, done, reflected on where their kind is a log, and named by nothing that stays."""
    reads = list(store.every())
    reflected = max((read.place.date for read in reads if read.place.kind == LOOKED_BACK), default="")
    out: list[Due] = []
    for read in reads:
        kind, place = load()[read.place.kind], read.place
        if not kind.archive_days or (kind.archive_states and place.state not in kind.archive_states):
            continue
        since = _since(read)
        if since is None or (age := (now - since).days) < kind.archive_days:
            continue
        if kind.grain == "heading" and place.date > reflected:
            continue
        if _referenced(read, reads):
            continue
        out.append(Due(store, read, f"{kind.name}{f' {place.state}' if place.state else ''}, {age} days old"))
    return out


def _since(read: Read) -> datetime | None:
    """When it last changed: its day, else the newest time any of its entries carries; None where nothing says."""
    if read.place.date:
        return datetime.fromisoformat(read.place.date).replace(tzinfo=UTC)
    times = [at for e in read.document.entries for key in ("at", "ok") if (at := instant(e.attributes.get(key, "")))]
    return max(times, default=None)


def _referenced(read: Read, reads: list[Read]) -> bool:
    names = {entry.id for entry in read.document.entries} | {read.place.path}
    return any(other is not read and _names(other.document, names) for other in reads)


def _names(document: Document, names: set[str]) -> bool:
    text = document.data.decode("utf-8", "replace")
    return any(name in text for name in names)
