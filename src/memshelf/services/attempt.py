"""What changes are made of, and an attempt at some: each step planned in memory, on what those before it left."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memshelf.domain.entry import stamp
from memshelf.domain.kinds import load
from memshelf.format.document import Document
from memshelf.services import past
from memshelf.services.draft import Caller
from memshelf.services.past import Ending
from memshelf.services.receipt import Receipt, changed
from memshelf.store import batch
from memshelf.store.store import ARCHIVE, Store


@dataclass(frozen=True, slots=True)
class Step:
    """What one file becomes; `data` None: no file."""

    op: str
    """added, updated, conflict, revised, retracted, ... as receipts say; noop: nothing is written."""
    id: str
    data: bytes | None
    endings: Sequence[Ending] = ()
    """Texts that end with it, written to the archive first."""
    also: Sequence[Change] = ()
    """Changes to other files that belong to it; one whose entry is gone by now is left out."""
    reasons: Sequence[str] = ()
    address: str = ""
    """Where the entry stands, if not in this file."""


Plan = Callable[[Document | None], Step]
"""Pure: from the file as it stands (None: no file) to what it becomes; raises what refuses it."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file to be changed."""

    store: Store
    path: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class Words:
    """What a caller brought, by argument, to be screened; and the rules that they say do not apply."""

    given: Mapping[str, str] = field(default_factory=dict)
    allow: Collection[str] = ()
    reason: str = ""
    evidence: str = ""


@dataclass(slots=True)
class _File:
    """A file in an attempt: its bytes on the disk, and after the steps so far."""

    store: Store
    path: str
    before: bytes | None
    after: bytes | None
    adds: bool = False


@dataclass(slots=True)
class Attempt:
    """What some changes would make of the files, one step after the other."""

    steps: list[tuple[Change, Step, Document | None]] = field(default_factory=list)
    files: dict[tuple[Path, str], _File] = field(default_factory=dict)

    def document(self, store: Store, path: str) -> Document | None:
        known = self.files.get((store.root, path))
        if known is not None:
            return store.parse(path, known.after) if known.after is not None else None
        read = store.read(path)
        return read.document if read else None

    def take(self, change: Change, step: Step, before: Document | None) -> None:
        self.steps.append((change, step, before))
        if step.op == "noop":
            self._put(change.store, change.path, before, before.data if before else None)
            return
        archive = f"{ARCHIVE}/{change.path}"
        for ending in step.endings:
            document = self.document(change.store, archive)
            self._put(change.store, archive, document, past.appended(document, ending, change.store, archive), True)
        self._put(change.store, change.path, before, step.data)

    def _put(self, store: Store, path: str, before: Document | None, after: bytes | None, adds: bool = False) -> None:
        data = before.data if before else None
        file = self.files.setdefault((store.root, path), _File(store, path, data, data, adds))
        file.after, file.adds = after, file.adds and adds

    @property
    def idle(self) -> bool:
        return all(file.before == file.after for file in self.files.values())

    @property
    def stores(self) -> list[Store]:
        """Those that are written to; where none is, that of the first step."""
        written = [file.store for file in self.files.values() if file.before != file.after]
        return list({store.root: store for store in written}.values()) or [self.steps[0][0].store]

    @property
    def live(self) -> list[tuple[Store, str]]:
        return [(f.store, f.path) for f in self.files.values() if f.before != f.after and not archived(f.path)]

    def writes(self) -> list[batch.Write]:
        """The archive first: where nothing is recorded, a kill leaves a text twice and never not at all."""
        files = sorted(self.files.values(), key=lambda file: not file.adds)
        return [batch.Write(f.store, f.path, f.before, f.after, f.adds) for f in files if f.before != f.after]

    def lines(self, caller: Caller, words: Words) -> list[batch.Line]:
        return [
            (change.store, _line(change, step, before, caller, words))
            for change, step, before in self.steps
            if not idle(step, before)
        ]

    def receipt(self, more: Sequence[str]) -> Receipt:
        change, step, _ = self.steps[0]
        file = self.files[change.store.root, change.path]
        why = [*step.reasons, *more]
        done = changed(step.op, change.store, change.path, step.id, file.before, file.after, why)
        done.address = step.address or done.address
        return done


def _line(change: Change, step: Step, before: Document | None, caller: Caller, words: Words) -> dict[str, Any]:
    store, path = change.store, change.path
    place, digest = store.place(path), store.journal.digest
    after = store.parse(path, step.data) if step.data is not None else None
    kind = load()[place.kind]
    return {
        "at": stamp(caller.now), "op": step.op, "id": step.id, "kind": kind.name, "channel": caller.channel,
        "file": digest(path), "before": _said(before, step.id, digest), "after": _said(after, step.id, digest),
        "why": digest(words.reason) if words.reason else "", "ev": digest(words.evidence) if words.evidence else "",
        "series": kind.series or kind.name if place.number is not None else "", "n": place.number or "",
    }  # fmt: skip


def archived(path: str) -> bool:
    """Whether a path is one of the archive."""
    return path.startswith(f"{ARCHIVE}/")


def idle(step: Step, document: Document | None) -> bool:
    """Whether a step writes nothing."""
    return step.op == "noop" or (step.data == (document.data if document else None) and not step.also)


def _said(document: Document | None, entry_id: str, digest: Callable[[str], str]) -> str:
    found = document.where(entry_id) if document and entry_id else []
    return digest(document.entries[found[0]].text) if document and found else ""
