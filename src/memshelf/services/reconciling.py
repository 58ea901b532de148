"""How a new text stands to what is there: ADD, UPDATE, NOOP or CONFLICT. Reads the files of its kind; writes nothing.

Rule: abi/TRUST.md. Which texts are of one subject is decided by `gate.reconcile`; who wins, here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memshelf.domain.entry import AUTHORITY, Entry, instant, listed
from memshelf.domain.kinds import Kind
from memshelf.domain.skeleton import key
from memshelf.domain.text import folded
from memshelf.errors import Contradiction
from memshelf.format.document import Document
from memshelf.gate.reconcile import Relation, head_terms, nearest
from memshelf.store.store import ARCHIVE, Store


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A text that wants in: what its marker will say, the channel it comes by, and the entries whose place it takes."""

    text: str
    attributes: Mapping[str, str]
    channel: str
    now: datetime
    replaces: Sequence[Entry] = ()

    def takes(self, entry: Entry) -> bool:
        """Whether it takes the place of an entry."""
        return any(entry.id == one.id for one in self.replaces)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`add`, `update`, `noop` or `conflict`, and the entry that it is about."""

    what: str
    path: str = ""
    entry: Entry | None = None


ADD = Verdict("add")


def compares(kind: Kind) -> bool:
    """Whether entries of a kind are statements that may contradict: bullets that are neither staged nor logged."""
    return kind.grain == "bullet" and kind.mutability in ("append", "revise") and kind.drawer != "inbox"


def weighed(
    store: Store,
    kind: Kind,
    path: str,
    document: Document | None,
    new: Newcomer,
    others: Sequence[tuple[str, Entry]] | None = None,
) -> Verdict:
    """The verdict on a text for the file at `path`, whose document is the one that the change is planned on.

    `others`: its `siblings`, where they are known already.

    Raises:
        Contradiction: a person decided against this text, in favour of one that still stands.
    """
    here = [(path, entry) for entry in document.entries] if document else []
    fold = folded(new.text)
    for where, entry in here:
        if entry.grain != "file" and not new.takes(entry) and folded(entry.text) == fold:
            return Verdict("noop", where, entry)
    if not compares(kind):
        return ADD
    for entry in new.replaces if new.channel != "person" else ():
        if entry.trust == "confirmed":  # what won a conflict is
            _decided(store, kind, path, entry, new)
    there = siblings(store, kind, path, [new.text]) if others is None else others
    usable = [(where, e) for where, e in (*here, *there) if _comparable(e, new)]
    found = nearest(new.text, [entry.text for _, entry in usable])
    if found is None:
        return ADD
    where, entry = usable[found[0]]
    if found[1] is Relation.EQUAL:
        return Verdict("noop", where, entry)
    if new.channel != "person":
        _decided(store, kind, where, entry, new)
    return Verdict("update" if _outranks(new, entry) else "conflict", where, entry)


def siblings(store: Store, kind: Kind, path: str, texts: Iterable[str]) -> Iterator[tuple[str, Entry]]:
    """Entries of the other files of a kind in a store: of the files that hold a head term of one of the texts."""
    terms = frozenset(term for text in texts for term in head_terms(text))
    for other in _files(store, kind) if terms else ():
        data = store.raw(other) if other != path else None
        if data is None or not _mentions(data, terms):
            continue
        read = store.read(other)
        yield from ((other, entry) for entry in read.document.entries) if read else ()


def _files(store: Store, kind: Kind, archived: bool = False) -> Iterator[str]:
    """The files of a kind, those in the folders that its pattern names; or those of its archive."""
    for pattern in (kind.path, *kind.reads):
        folder = pattern.partition("/{")[0]
        if "{" in folder or not (store.root / (f"{ARCHIVE}/{folder}" if archived else folder)).is_dir():
            continue
        for path in store.paths(archived=archived, under=folder):
            if store.place(path).kind == kind.name:
                yield path


def _mentions(data: bytes, terms: Iterable[str]) -> bool:
    text = data.decode("utf-8", "replace")
    text = text.lower() if text.isascii() else folded(text)
    return any(term in text for term in terms)


def _comparable(entry: Entry, new: Newcomer) -> bool:
    mine, its = new.attributes, entry.attributes
    if entry.grain == "file" or new.takes(entry) or entry.state(new.now) not in ("active", "conflicted"):
        return False
    if entry.trust == "candidate" or mine.get("applies", "") != its.get("applies", ""):
        return False
    return _overlap(mine, its)


def _overlap(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether there is a time at which both hold."""
    for a, b in ((one, other), (other, one)):
        end, start = instant(a.get("to", "")), instant(b.get("from", ""))
        if end and start and end <= start:
            return False
    return True


def _outranks(new: Newcomer, entry: Entry) -> bool:
    return AUTHORITY.get(new.attributes.get("trust", "derived"), 1) > AUTHORITY.get(entry.trust, 1)


def _decided(store: Store, kind: Kind, path: str, winner: Entry, new: Newcomer) -> None:
    """Refuse what lost to `winner`, whichever file of the kind it stood in."""
    wanted = key(new.text)
    for archive in _files(store, kind, archived=True):
        data = store.raw(archive)
        read = store.read(archive) if data is not None and winner.id.encode() in data else None
        for entry in read.document.entries if read else ():
            attributes = entry.attributes
            decided = attributes.get("by") == winner.id and winner.id in listed(attributes.get("conflict", ""))
            if decided and key(entry.text) == wanted:
                raise Contradiction(
                    f"A person decided against this on {attributes.get('until', '')}, in favour of "
                    f"{store.address(path, winner.id)}.",
                    "Tell the person; they say `memshelf add` or `memshelf revise` if it is true again.",
                )
