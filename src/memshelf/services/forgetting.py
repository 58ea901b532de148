"""Forgetting: every copy of a text taken out of every file of ours, and a key kept so that it does not come back.

All of it is one change: where a process is killed in between, the next one ends it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from memshelf.domain.entry import Entry, stamp
from memshelf.domain.kinds import load
from memshelf.domain.skeleton import key, skeleton
from memshelf.errors import BadRequest
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.marker import Marker, decode, unescape
from memshelf.format.rejected import Row, rows, with_rows
from memshelf.services import rejected, rules
from memshelf.services.addressing import Located, present
from memshelf.services.attempt import Change, Step, Words
from memshelf.services.draft import Caller
from memshelf.services.gateway import Gateway
from memshelf.services.receipt import Receipt
from memshelf.store.store import ARCHIVE, Read, Store

FORGOTTEN = "(forgotten)"
SHORTEST = 12
"""Characters from which on a text is looked for inside other texts and words; a shorter one stands between words."""
LEAST = 4
"""Characters below which a text is not looked for inside others: it would be found everywhere."""

_OURS = (".local", ".lock", ".journal", ".git")
"""Folders that hold no text of ours, and the history that no tool of ours may rewrite."""
_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s<>)\]]+", re.I)


@dataclass(slots=True)
class _Target:
    """What is to be forgotten: ids, the keys of their texts, and the texts themselves, to find copies by."""

    id: str
    texts: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    skeletons: set[str] = field(default_factory=set)
    """Of the texts that are long enough to be looked for inside others."""

    def take(self, text: str) -> None:
        if text:
            self.texts.append(text)
            self.keys.add(key(text))
            if len(found := skeleton(text)) >= LEAST:
                self.skeletons.add(found)

    def take_whole(self, text: str, blocks: Iterable[Entry]) -> None:
        """A whole file's text and its statements; its title is its name and may be used again."""
        self.take(text)
        for entry in blocks:
            if entry.grain != "file" and len(skeleton(entry.text)) >= SHORTEST:
                self.take(entry.text)

    def is_copy(self, entry: Entry) -> bool:
        return entry.id == self.id or (entry.grain != "file" and key(entry.text) in self.keys)

    def quoted_in(self, entry: Entry) -> bool:
        return self.quoted(entry.text)

    def quoted(self, text: str) -> bool:
        """Whether one of the texts stands in another, however it is spelled there."""
        found = skeleton(text)
        return any(
            one in found if len(one) >= SHORTEST else re.search(rf"(?<!\w){re.escape(one)}(?!\w)", found)
            for one in self.skeletons
        )


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
        changes = [
            _purge(target.store, target.path, wanted),
        ]
        holding = {target.store.root}
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
                        changes.append(_purge(store, path, wanted))
                        holding.add(store.root)
                        copies.append(store.address(path))
                    if _logged(read) and any(map(wanted.quoted_in, read.document.entries)):
                        changes.append(_redact(store, path, wanted))
                        redacted.append(store.address(path))
                    elif not _logged(read):
                        left += [
                            store.address(path, entry.id)
                            for entry in read.document.entries
                            if entry.grain != "file" and not wanted.is_copy(entry) and wanted.quoted_in(entry)
                        ]
        changes[1:1] = [
            _tombstone(store, store.root in holding, wanted, caller, reason) for store in stores if store.exists()
        ]
        for store in stores:
            for path, entry in list(_resting(store, wanted.id, target, shown)):
                changes.append(_unsupport(store, path, entry, caller))
                unsupported.append(store.address(path, entry.id))
        main = self.gateway.commit_all(changes, caller, Words(reason=reason), thorough=True)
        main.op, main.id, main.address = "forgotten", target.entry.id, target.address
        main.reasons.append("purged from files, archive and views; the key of its text stays in REJECTED.md")
        main.reasons += [f"purged a copy in {where}" for where in dict.fromkeys(copies)]
        main.reasons += [f"redacted in {where}" for where in dict.fromkeys(redacted)]
        main.reasons += [f"{where} rested on it alone and is marked unsupported" for where in unsupported]
        main.unreached += [f"{where} quotes it: forget that one too" for where in dict.fromkeys(left)]
        main.unreached += [
            f"{where} holds it outside of what can be forgotten: take it out by hand"
            for where in _elsewhere(stores, wanted, {where.partition("#")[0] for where in left})
        ]
        main.unreached += _beyond(stores)
        return main


def _purge(store: Store, path: str, wanted: _Target) -> Change:
    """One file without the entry and its copies."""

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

    return Change(store, path, plan)


def _redact(store: Store, path: str, wanted: _Target) -> Change:
    """One log without what it quotes of the text."""

    def plan(document: Document | None) -> Step:
        document = present(document, store.address(path))
        data = document.data
        for i, entry in enumerate(document.entries):
            if entry.grain != "file" and wanted.quoted_in(entry):
                current = store.parse(path, data)
                marker = current.markers[i] or Marker(entry.id, {"trust": entry.trust})
                data = amend.reword(current, i, _without(entry.text, wanted), marker)
        return Step("forgotten", wanted.id, data)

    return Change(store, path, plan)


def _tombstone(store: Store, home: bool, wanted: _Target, caller: Caller, reason: str) -> Change:
    """What REJECTED.md says of it blanked, and its keys kept in the store that it stood in."""

    def plan(document: Document | None) -> Step:
        data = document.data if document else None
        old = rows(data)
        new = [
            Row("", r.reason, r.who, r.when, r.key, r.id) if r.key in wanted.keys or r.id == wanted.id else r
            for r in old
        ]
        if home:
            known = {row.key for row in old}
            new += [
                Row("", reason, caller.channel, stamp(caller.now), k, wanted.id) for k in sorted(wanted.keys - known)
            ]
        return Step("noop" if new == list(old) else "forgotten", wanted.id, with_rows(data, new))

    return Change(store, rejected.PATH, plan)


def _resting(store: Store, entry_id: str, target: Located, urls: set[str]) -> Iterator[tuple[str, Entry]]:
    """The entries that name it, or the locator that it was, as their only source."""
    names = {entry_id, target.address}
    for read in store.every():
        for entry in read.document.entries:
            said = {entry.attributes.get("src", ""), entry.attributes.get("ev", "")} - {""}
            if said and all(part in names or part.rpartition("#")[2] == entry_id or part in urls for part in said):
                yield read.place.path, entry


def _unsupport(store: Store, path: str, entry: Entry, caller: Caller) -> Change:
    def plan(document: Document | None) -> Step:
        document = present(document, store.address(path))
        found = document.where(entry.id)
        data = amend.remark(document, found[0], {"unsupported": stamp(caller.now)}) if found else document.data
        return Step("unsupported", entry.id, data)

    return Change(store, path, plan)


def _gathered(stores: Sequence[Store], target: Located) -> _Target:
    """The entry's text, and everything that was ever kept under its id."""
    wanted = _Target(target.entry.id)
    document = target.read.document
    whole = load()[target.read.place.kind].grain == "file"
    if target.entry.grain == "file":
        wanted.take_whole(rejected.body(document), document.entries)
    elif not whole:
        wanted.take(target.entry.text)
    for store in stores:
        for read in store.every(archived=True):
            for i in read.document.where(wanted.id):
                text = read.document.entries[i].text
                if whole:
                    was = store.parse(read.place.path, text.encode("utf-8", "surrogateescape"))
                    wanted.take_whole(rejected.body(was), was.entries)
                else:
                    wanted.take(text)
        wanted.keys |= {row.key for row in rows(store.raw(rejected.PATH)) if row.id == wanted.id}  # begun before
    return wanted


def _elsewhere(stores: Sequence[Store], wanted: _Target, named: set[str]) -> Iterator[str]:
    """The files that hold one of the texts where no entry is: in a heading, a comment, an attribute, or in a file that
    is no memory; `named` ones are told of already."""
    for store in stores:
        for folder, inner, names in os.walk(store.root):
            inner[:] = [name for name in inner if name not in _OURS]
            for name in names:
                file = Path(folder, name)
                address = store.address(file.relative_to(store.root).as_posix())
                if address in named or name == ".gitignore":
                    continue
                with suppress(OSError):
                    if file.is_file() and wanted.quoted(decode(unescape(file.read_bytes().decode("utf-8", "replace")))):
                        yield address


def _logged(read: Read) -> bool:
    return load()[read.place.kind].grain == "heading"


def _without(text: str, wanted: _Target) -> str:
    for part in sorted(wanted.texts, key=len, reverse=True):
        if len(part) >= LEAST:
            pattern = r"\s+".join(map(re.escape, part.split()))
            if len(part) < SHORTEST:
                pattern = rf"(?<!\w){pattern}(?!\w)"
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
