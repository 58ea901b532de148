"""What a change answers: what was done, where, and why it passed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from memshelf.domain.kinds import load
from memshelf.store.files import etag
from memshelf.store.store import Store


@dataclass(slots=True)
class Receipt:
    """op: added, revised, retracted, registered or noop; etags are "" where there was or is no file."""

    op: str
    id: str
    address: str
    kind: str
    drawer: str
    file: str
    etag_before: str
    etag_after: str
    reasons: list[str] = field(default_factory=list)
    """Why it passed, and what else happened (a store was created, invisible characters were taken out)."""
    unreached: list[str] = field(default_factory=list)
    """What the operation could not reach."""

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def changed(
    op: str, store: Store, path: str, entry_id: str, before: bytes | None, after: bytes | None, why: list[str]
) -> Receipt:
    """The receipt of a change to one file, whose bytes were `before` and are `after` (None: no file)."""
    kind = load()[store.place(path).kind]
    old, new = ("" if data is None else etag(data) for data in (before, after))
    file = store.address(path)
    return Receipt(op, entry_id, store.address(path, entry_id), kind.name, kind.drawer, file, old, new, why)
