"""Forgetting: every copy of a text taken out of every file of ours, and a key kept so that it does not come back.

The key is registered first and the entry itself goes last: after a crash in between nothing of it is recalled, and the
same call, by the same id, ends what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memshelf.domain.entry import Entry, stamp
from memshelf.domain.kinds import load
from memshelf.domain.skeleton import key, skeleton
from memshelf.errors import BadRequest
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.marker import Marker
from memshelf.format.rejected import Row, rows, with_rows
from memshelf.services import rejected, rules
from memshelf.services.addressing import Located, present
from memshelf.services.draft import Caller
from memshelf.services.gateway import Gateway, Step, Words
from memshelf.services.receipt import Receipt
from memshelf.store.store import ARCHIVE, Read, Store

FORGOTTEN = "(forgotten)"
SHORTEST = 12
"""Characters from which on a text is looked for inside other texts; a shorter one would be found everywhere."""

_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s<>)\]]+", re.I)


@dataclass(slots=True)
class _Target:
    """What is to be forgotten: ids, the keys of their texts, and the texts themselves, to find copies by."""

    id: str
    texts: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    skeletons: set[str] = field(default_factory=set)
    """Of the texts that are long enough to be looked for inside others."""

    def take(self, entry: Entry, whole: str) -> None:
        for text in dict.fromkeys((entry.text, whole)):
            if text:
                self.texts.append(text)
                self.keys.add(key(text))
                if len(found := skeleton(text)) >= SHORTEST:
                    self.skeletons.add(found)

    def is_copy(self, entry: Entry) -> bool:
        return entry.id == self.id or (entry.grain != "file" and key(entry.text) in self.keys)

    def quoted_in(self, entry: Entry) -> bool:
        return self.quoted(entry.text)

    def quoted(self, text: str) -> bool:
        """Whether one of the texts stands in another, however it is spelled there."""
        found = skeleton(text)
        return any(one in found for one in self.skeletons)


@dataclass(slots=True)
class Forgetting:
    """Purges entries from all stores of one scope."""

    gateway: Gateway

    def forget(self, stores: Sequence[Store], target: Located, caller: Caller, reason: str = "") -> Receipt:
        """Purge an entry, live or archived, with every copy of what it says or said.

        Raises:
            Frozen: only a person may; BadRequest: the reason repeats the text. Nothing was written.
        """
        kind = load()[target.read.place.kind]
        rules.check_end(kind, caller.channel, target.address)
        wanted = _gathered(stores, target)
        if wanted.quoted(reason):
            raise BadRequest("'reason' repeats what is to be forgotten.", "Say why without saying what.")
        shown = _sources(target) if kind.name == "source" else set()
        self._tombstones(stores, target.store, wanted, caller, reason)
        copies: list[str] = []
        redacted: list[str] = []
        unsupported: list[str] = []
        left: list[str] = []
        for store in stores:
            for archived in (False, True):
                for read in list(store.every(archived=archived)):
                    path = read.place.path if not archived else f"{ARCHIVE}/{read.place.path}"
                    here = store is target.store and path == target.path
                    if not here and any(map(wanted.is_copy, read.document.entries)):
                        self._purge(store, path, wanted, caller, reason)
                        copies.append(store.address(path))
                    if _logged(read) and any(map(wanted.quoted_in, read.document.entries)):
                        self._redact(store, path, wanted, caller, reason)
                        redacted.append(store.address(path))
                    elif not _logged(read):
                        left += [
                            store.address(path, entry.id)
                            for entry in read.document.entries
                            if entry.grain != "file" and not wanted.is_copy(entry) and wanted.quoted_in(entry)
                        ]
        for store in stores:
            unsupported += self._unsupport(store, wanted.id, target, shown, caller)
        main = self._purge(target.store, target.path, wanted, caller, reason)
        main.op, main.id, main.address = "forgotten", target.entry.id, target.address
        main.reasons.append("purged from files, archive and views; the key of its text stays in REJECTED.md")
        main.reasons += [f"purged a copy in {where}" for where in dict.fromkeys(copies)]
        main.reasons += [f"redacted in {where}" for where in dict.fromkeys(redacted)]
        main.reasons += [f"{where} rested on it alone and is marked unsupported" for where in unsupported]
        main.unreached += [f"{where} quotes it: reword or forget that one too" for where in dict.fromkeys(left)]
        main.unreached += _beyond(stores)
        return main

    # -- steps -----------------------------------------------------------------------------------------------------

    def _purge(self, store: Store, path: str, wanted: _Target, caller: Caller, reason: str) -> Receipt:
        def plan(document: Document | None) -> Step:
            if document is None:
                return Step("noop", wanted.id, None)
            whole = bool(document.entries) and document.entries[0].grain == "file"
            if whole and document.entries[0].id == wanted.id:
                return Step("forgotten", wanted.id, None)
            data: bytes | None = document.data
            while True:
                current = store.parse(path, data or b"")
                copies = [i for i, entry in enumerate(current.entries) if wanted.is_copy(entry)]
                if not copies:
                    break
                data = amend.remove(current, copies[-1])
            if path.startswith(f"{ARCHIVE}/") and not store.parse(path, data or b"").entries:
                data = None
            return Step("forgotten" if data != document.data else "noop", wanted.id, data)

        return self.gateway.commit(store, path, plan, caller, Words(reason=reason))

    def _redact(self, store: Store, path: str, wanted: _Target, caller: Caller, reason: str) -> None:
        def plan(document: Document | None) -> Step:
            document = present(document, store.address(path))
            data = document.data
            for i, entry in enumerate(document.entries):
                if entry.grain != "file" and wanted.quoted_in(entry):
                    current = store.parse(path, data)
                    marker = current.markers[i] or Marker(entry.id, {"trust": entry.trust})
                    data = amend.reword(current, i, _without(entry.text, wanted), marker)
            return Step("forgotten", wanted.id, data)

        self.gateway.commit(store, path, plan, caller, Words(reason=reason))

    def _tombstones(self, stores: Iterable[Store], home: Store, wanted: _Target, caller: Caller, reason: str) -> None:
        """Blank what REJECTED.md says of it, and keep its key in the store that it stood in."""
        for store in stores:

            def plan(document: Document | None, store: Store = store) -> Step:
                data = document.data if document else None
                old = rows(data)
                new = [
                    Row("", r.reason, r.who, r.when, r.key, r.id) if r.key in wanted.keys or r.id == wanted.id else r
                    for r in old
                ]
                if store is home:
                    known = {row.key for row in old}
                    new += [
                        Row("", reason, caller.channel, stamp(caller.now), k, wanted.id)
                        for k in sorted(wanted.keys - known)
                    ]
                return Step("noop" if new == list(old) else "forgotten", wanted.id, with_rows(data, new))

            if store.exists():
                self.gateway.commit(store, rejected.PATH, plan, caller, Words(reason=reason))

    def _unsupport(self, store: Store, entry_id: str, target: Located, urls: set[str], caller: Caller) -> list[str]:
        """Mark the entries that name it, or the locator that it was, as their only source."""
        names = {entry_id, target.address}
        done: list[str] = []
        for read in list(store.every()):
            path = read.place.path
            resting = [
                entry
                for entry in read.document.entries
                if (said := {entry.attributes.get("src", ""), entry.attributes.get("ev", "")} - {""})
                and all(part in names or part.rpartition("#")[2] == entry_id or part in urls for part in said)
            ]
            for entry in resting:

                def plan(document: Document | None, entry: Entry = entry, path: str = path) -> Step:
                    document = present(document, store.address(path))
                    found = document.where(entry.id)
                    data = amend.remark(document, found[0], {"unsupported": stamp(caller.now)}) if found else None
                    return Step("unsupported", entry.id, data or document.data)

                self.gateway.commit(store, path, plan, caller, Words())
                done.append(store.address(path, entry.id))
        return done


def _gathered(stores: Sequence[Store], target: Located) -> _Target:
    """The entry's text, and everything that was ever kept under its id."""
    wanted = _Target(target.entry.id)
    document = target.read.document
    whole = "".join(document.lines[document.first :]).strip() if target.entry.grain == "file" else ""
    wanted.take(target.entry, whole)
    if target.entry.grain == "file":
        for entry in document.entries[1:]:
            wanted.take(entry, "")
    for store in stores:
        for read in store.every(archived=True):
            for i in read.document.where(wanted.id):
                wanted.take(read.document.entries[i], "")
        wanted.keys |= {row.key for row in rows(store.raw(rejected.PATH)) if row.id == wanted.id}  # begun before
    return wanted


def _logged(read: Read) -> bool:
    return load()[read.place.kind].grain == "heading"


def _without(text: str, wanted: _Target) -> str:
    for part in sorted(wanted.texts, key=len, reverse=True):
        if len(part) >= SHORTEST:
            pattern = r"\s+".join(map(re.escape, part.split()))
            text = re.sub(pattern, FORGOTTEN, text, flags=re.I)
    return FORGOTTEN if wanted.quoted(text) else text  # spelled in another form: all of it goes


def _sources(target: Located) -> set[str]:
    return {url.rstrip(".,;:") for url in _URL.findall(target.entry.text)}


def _beyond(stores: Sequence[Store]) -> list[str]:
    """Where copies may be that no tool of ours can reach."""
    out = []
    for store in stores:
        for folder in (store.root, *store.root.parents):
            if (folder / ".git").exists():
                out.append(f"the git history of {folder.name or folder}, where {store.label}'s files were committed")
                break
    return [*out, "backups, editors' undo files, and the session logs that hosts keep"]
