"""From an id to the one entry it names. An id that no longer names one is never answered with a near one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memshelf.domain.entry import Entry
from memshelf.domain.text import folded
from memshelf.errors import BadRequest, ChangedUnderneath, NotFound, OutOfScope
from memshelf.format.document import Document
from memshelf.search.envelope import fenced
from memshelf.services.scope import Scope
from memshelf.store.files import etag
from memshelf.store.store import Read, Store, split_address


@dataclass(frozen=True, slots=True)
class Located:
    """An entry and where it stands."""

    store: Store
    read: Read
    index: int

    @property
    def entry(self) -> Entry:
        return self.read.document.entries[self.index]

    @property
    def path(self) -> str:
        return self.read.place.path

    @property
    def address(self) -> str:
        return self.store.address(self.path, self.entry.id)


class Sightings:
    """What this process showed under each id: in which store, so that a bare id leads back there, and the text, so that
    a changed hand-typed entry's successors can be named."""

    def __init__(self, most: int = 2000) -> None:
        self._seen: dict[str, tuple[str, str]] = {}
        self._most = most

    def saw(self, entry_id: str, label: str, text: str) -> None:
        self._seen.pop(entry_id, None)
        self._seen[entry_id] = (label, text)
        if len(self._seen) > self._most:
            del self._seen[next(iter(self._seen))]

    def label(self, entry_id: str) -> str:
        return self._seen.get(entry_id, ("", ""))[0]

    def text(self, entry_id: str) -> str:
        return self._seen.get(entry_id, ("", ""))[1]


def in_reach(scope: Scope, address: str, project: str, sightings: Sightings) -> list[Store]:
    """The stores that an id, address or file may name: those of `project`, else the usual ones and the project that the
    address begins with or that this process showed the id in.

    Raises:
        UnknownProject, OutOfScope: as for naming that project.
    """
    usual = scope.reading(project)
    if project:
        return usual
    path, _, entry_id = address.strip().rpartition("#")
    label = (path or entry_id).partition("/")[0] if "/" in address else sightings.label(entry_id)
    if not label or label in {store.label for store in usual}:
        return usual
    if label not in scope.registry.all() and "/" in address:
        return usual
    return [scope.opened(scope.project(label)), *usual]


def locate(stores: Sequence[Store], address: str, sightings: Sightings | None = None) -> Located:
    """The entry that an id or address names, in the stores in scope.

    Raises:
        NotFound: none; it says what became of it where that can be told, and names likely successors.
        OutOfScope: the address is of a store outside the scope.
        BadRequest: the id stands on two lines.
    """
    label, path, entry_id = split_address(address)
    if label and label not in {store.label for store in stores}:
        raise OutOfScope(
            f"{address!r} is in store {label!r}, which is out of scope.", "Pass 'project', or search again."
        )
    inside = [store for store in stores if not label or store.label == label]
    if path:
        for store in inside:
            read = store.read(path)
            if read is not None and (found := read.document.where(entry_id)):
                return _one([Located(store, read, i) for i in found], entry_id)
    found = [
        Located(store, read, i) for store in inside for read in store.every() for i in read.document.where(entry_id)
    ]
    if found:
        return _one(found, entry_id)
    raise _gone(inside, address, path, entry_id, sightings)


def locate_ended(stores: Sequence[Store], address: str) -> Located:
    """The last text that the archive keeps under an id.

    Raises:
        NotFound: it keeps none.
    """
    label, _, entry_id = split_address(address)
    found = [
        Located(store, read, i)
        for store in stores
        if not label or store.label == label
        for read in store.every(archived=True)
        for i in read.document.where(entry_id)
    ]
    if not found:
        raise NotFound(f"{address!r} names no entry in scope, live or ended.", "Call search_memory with 'include'.")
    return max(found, key=lambda one: one.entry.attributes.get("until", ""))


def _one(found: list[Located], entry_id: str) -> Located:
    if len(found) == 1:
        return found[0]
    places = ", ".join(f"{hit.store.address(hit.path)}:{hit.entry.line}" for hit in found)
    remedy = "Run `memshelf doctor`, and take one of the two markers away by hand."
    if len({(hit.store.label, hit.path) for hit in found}) == len(found):
        remedy = f"Pass the whole address, for example {found[0].address!r}."
    raise BadRequest(f"Id {entry_id} stands in {len(found)} places: {places}.", remedy)


def _gone(stores: list[Store], address: str, path: str, entry_id: str, sightings: Sightings | None) -> NotFound:
    ended = [
        read.document.entries[i]
        for store in stores
        for read in store.every(archived=True)
        for i in read.document.where(entry_id)
    ]
    if ended:
        last = max(
            ended, key=lambda entry: (entry.attributes.get("until", ""), entry.attributes.get("end") != "superseded")
        )
        end, until = last.attributes.get("end", "archived"), last.attributes.get("until", "")
        return NotFound(f"{address!r} was {end} at {until}.", "Call search_memory for what is true now.")
    text = sightings.text(entry_id) if sightings else ""
    likely = [] if not text else sorted(_likely(stores, path, text), reverse=True)[:3]
    if likely:
        names = ", ".join(there.rpartition("#")[2] for _, there, _ in likely)
        return NotFound(
            f"{address!r} names no entry any more; its line was changed by hand. Likely successors: {names}.",
            f"Call again with the id of the one that you mean.\n{fenced((there, words) for _, there, words in likely)}",
        )
    return NotFound(f"{address!r} names no entry in scope.", "Call search_memory for the ids of what is there.")


def _likely(stores: list[Store], path: str, text: str) -> list[tuple[float, str, str]]:
    wanted = set(folded(text).split())
    out: list[tuple[float, str, str]] = []
    for store in stores:
        for read in store.every():
            if path and read.place.path != path:
                continue
            for entry in read.document.entries:
                if entry.stamped or entry.grain == "file":
                    continue
                words = set(folded(entry.text).split())
                share = len(wanted & words) / max(1, len(wanted | words))
                if share >= 0.5:
                    out.append((share, store.address(read.place.path, entry.id), entry.text[:80]))
    return out


def one_index(document: Document, entry_id: str, address: str) -> int:
    """The entry's index in a document read just now under the lock.

    Raises:
        NotFound, BadRequest: somebody took it away, or copied it, since it was located.
    """
    found = document.where(entry_id)
    if not found:
        raise NotFound(f"{address!r} was taken away a moment ago.", "Call search_memory for what is there now.")
    if len(found) > 1:
        lines = ", ".join(str(document.entries[i].line) for i in found)
        raise BadRequest(f"Id {entry_id} stands on lines {lines} of one file.", "Take one of the markers away by hand.")
    return found[0]


def present(document: Document | None, address: str, base: str = "") -> Document:
    """The document that a change is planned on.

    Raises:
        ChangedUnderneath: the file is gone, or it is not at the etag `base`.
    """
    if document is None:
        raise ChangedUnderneath(f"{address} was taken away a moment ago.", "Call search_memory for what is there now.")
    if base and base != etag(document.data):
        raise ChangedUnderneath(
            f"{address} has changed since etag {base!r}; it is now {etag(document.data)!r}.",
            "Read it again with get_project_memories, then pass its etag as 'base'.",
        )
    return document
