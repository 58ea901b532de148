"""The one gateway for changes to entries: draft -> rules of its kind -> lock, read, compare -> write -> receipt.

Every refusal is raised before a byte moves: the rules are tried on the file as it is, and again under the lock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from memshelf.domain.entry import Entry, stamp
from memshelf.domain.kinds import Kind, load
from memshelf.domain.text import clean, clean_line
from memshelf.errors import BadRequest, ChangedUnderneath, EmptyText, Frozen
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.marker import Marker
from memshelf.services import destination, past, rules
from memshelf.services.addressing import Located, Sightings, in_reach, locate, one_index
from memshelf.services.draft import Caller, Draft
from memshelf.services.draft import attributes as marker_attributes
from memshelf.services.instead import revise_instead
from memshelf.services.receipt import Receipt, changed
from memshelf.services.scope import Scope
from memshelf.store.files import etag
from memshelf.store.projects import Project
from memshelf.store.store import Store


@dataclass(slots=True)
class Writing:
    """Adds, rewords and ends entries in the stores of one scope."""

    scope: Scope
    found_project: Callable[[Project, Caller], list[str]]
    """Makes a project's store and link card on its first write; says what it did."""
    sightings: Sightings = field(default_factory=Sightings)

    # -- add -------------------------------------------------------------------------------------------------------

    def add(self, draft: Draft, caller: Caller) -> Receipt:
        """File a draft where its kind says.

        Raises:
            Refused: any rule; StoreTrouble: the disk. Nothing was written.
        """
        kind = load().named(draft.kind)
        text, removed = clean(draft.text)
        attributes = marker_attributes(draft, kind, caller)
        rules.check_required(kind, text, attributes)
        store, project = self.scope.writing(kind, draft.project, draft.store)
        spot = destination.choose(store, kind, draft.name, draft.collection, caller.now)
        old = self._superseded(draft, caller)
        marker = Marker(caller.new_id(), attributes)
        if kind.grain == "heading":
            text = f"{caller.now:%H:%M} - {clean_line(draft.name or kind.name, 'name')}\n{text}"
        title = destination.title(kind, draft.name, spot)
        noop: list[Entry] = []

        def change(document: Document | None) -> bytes | None:
            noop.clear()
            if document is None:
                rules.check_size(kind, 0, text)
                return amend.new_file(title, text, marker, kind.grain, f"{store.scope}/{spot.path}")
            same = document.saying(text)
            if same and kind.mutability in ("append", "inbox") and kind.grain == "bullet":
                noop.append(same)
                return document.data
            if kind.mutability == "frozen":
                raise Frozen(
                    f"{store.address(spot.path)} exists and is frozen.", f"File this {kind.name} under another name."
                )
            if kind.mutability not in ("append", "inbox"):
                raise revise_instead(store, spot.path, kind, document)
            rules.check_size(kind, len(document.lines), text)
            return amend.add(document, text, marker)

        self._try(store, spot.path, change)
        reasons = [f"kind {kind.name} is {kind.mutability}: {spot.why}"]
        if removed:
            reasons.append(f"{removed} invisible character{'s' * (removed > 1)} taken out")
        if project is not None:
            reasons += self.found_project(project, caller)
        store.create()
        with store.writing():
            edited = store.edit(spot.path, change)
        if noop:
            reasons = ["the same text stands there already; no byte changed"]
        receipt = self._receipt(
            "noop" if noop else "added",
            store,
            spot.path,
            noop[0].id if noop else marker.id,
            edited.before,
            edited.after,
            reasons,
        )
        if old is not None and not noop:
            self._end(old, "superseded", caller, by=marker.id)
            receipt.reasons.append(f"supersedes {old.address}, which is kept in the archive")
        return receipt

    def _superseded(self, draft: Draft, caller: Caller) -> Located | None:
        if not draft.supersedes:
            return None
        old = self.located(draft.supersedes, draft.project)
        rules.check_end(load()[old.read.place.kind], caller.channel, old.address)
        return old

    # -- revise ----------------------------------------------------------------------------------------------------

    def revise(
        self,
        address: str,
        text: str,
        caller: Caller,
        base: str = "",
        project: str = "",
        source: str = "",
        evidence: str = "",
    ) -> Receipt:
        """Let entry `address` say `text`; its id stays, what it said before goes to the archive.

        Raises:
            Refused: it is not there, its kind is not reworded, or `base` is not the file's etag.
        """
        text, removed = clean(text)
        target = self.located(address, project)
        kind = load()[target.read.place.kind]
        rules.check_reword(kind, target.read.place, target.address, destination.newest(target.store, kind), caller.now)
        entry = target.entry
        if entry.text == text:
            return self._receipt(
                "noop",
                target.store,
                target.path,
                entry.id,
                target.read.document.data,
                target.read.document.data,
                ["it says so already; no byte changed"],
            )
        trust = rules.trust(kind, caller.channel, source, evidence)
        changes = {
            "at": stamp(caller.now),
            "src": source,
            "ev": evidence,
            "trust": "" if trust == "derived" else trust,
            "ok": "",
        }

        def change(document: Document | None) -> bytes:
            document = self._present(document, target.store.address(target.path), base)
            i = one_index(document, entry.id, target.address)
            marker = document.markers[i] or Marker(entry.id, {})
            rules.check_size(kind, len(document.lines) - (document.spans[i].end - document.spans[i].start), text)
            return amend.reword(document, i, text, Marker(entry.id, marker.attributes, marker.foreign).updated(changes))

        edited = self._with_past(target, kind, change, "superseded", caller, by=entry.id)
        reasons = ["its id stays; what it said before is in the archive"]
        if removed:
            reasons.append(f"{removed} invisible characters taken out")
        return self._receipt("revised", target.store, target.path, entry.id, edited[0], edited[1], reasons)

    def insert(
        self,
        file: str,
        text: str,
        caller: Caller,
        base: str = "",
        project: str = "",
        source: str = "",
        evidence: str = "",
    ) -> Receipt:
        """One more entry in an existing file, whatever its kind's add would say, unless it is frozen."""
        text, removed = clean(text)
        store, path = self._file(file, project)
        read = store.read(path)
        assert read is not None
        kind = load()[read.place.kind]
        rules.check_reword(kind, read.place, store.address(path), destination.newest(store, kind), caller.now)
        trust = rules.trust(kind, caller.channel, source, evidence)
        attributes = {
            "at": stamp(caller.now),
            "src": source,
            "ev": evidence,
            "trust": "" if trust == "derived" else trust,
        }
        marker = Marker(caller.new_id(), {k: v for k, v in attributes.items() if v})
        noop: list[Entry] = []

        def change(document: Document | None) -> bytes:
            noop.clear()
            document = self._present(document, store.address(path), base)
            if same := document.saying(text):
                noop.append(same)
                return document.data
            rules.check_size(kind, len(document.lines), text)
            return amend.add(document, text, marker)

        self._try(store, path, change)
        with store.writing():
            edited = store.edit(path, change)
        reasons = (
            ["the same text stands there already; no byte changed"] if noop else [f"added to {store.address(path)}"]
        )
        if removed:
            reasons.append(f"{removed} invisible characters taken out")
        return self._receipt(
            "noop" if noop else "added",
            store,
            path,
            noop[0].id if noop else marker.id,
            edited.before,
            edited.after,
            reasons,
        )

    def rewrite(self, file: str, content: str, base: str, caller: Caller, project: str = "") -> Receipt:
        """The whole file as `content`; entries keep their ids by their markers, those left out go to the archive.

        Raises:
            BadRequest: no `base`; ChangedUnderneath: `base` is not the file's etag.
        """
        if not base:
            raise BadRequest(
                "'base' is missing: writing a whole file needs the etag it was read at.",
                "Call get_project_memories with 'file' and pass its etag as 'base'.",
            )
        if not content.strip():
            raise EmptyText("'content' is empty.", "Call delete_memory to take entries away.")
        store, path = self._file(file, project)
        read = store.read(path)
        assert read is not None
        kind = load()[read.place.kind]
        rules.check_reword(kind, read.place, store.address(path), destination.newest(store, kind), caller.now)
        trust = rules.trust(kind, caller.channel, "", "")
        gone: list[Entry] = []

        def change(document: Document | None) -> bytes:
            document = self._present(document, store.address(path), base)
            data, left = amend.rewritten(
                document,
                content,
                caller.new_id,
                {"at": stamp(caller.now), "trust": "" if trust == "derived" else trust},
            )
            rules.check_size(kind, data.count(b"\n"), "")
            gone[:] = left
            return data

        self._try(store, path, change)
        endings = [past.left_out(entry, "superseded", caller.now) for entry in gone]
        with store.writing(), past.kept(store, path, endings):
            edited = store.edit(path, change)
        reasons = [f"written as a whole; {len(gone)} entries left out or reworded are in the archive"]
        return self._receipt("revised", store, path, "", edited.before, edited.after, reasons)

    # -- delete ----------------------------------------------------------------------------------------------------

    def retract(self, address: str, caller: Caller, reason: str = "", project: str = "") -> Receipt:
        """Take an entry out of what is recalled; its past stays in the archive.

        Raises:
            NotFound: there is no such entry (any more); nothing else is touched.
        """
        target = self.located(address, project)
        kind = load()[target.read.place.kind]
        rules.check_end(kind, caller.channel, target.address)
        before, after = self._end(target, "retracted", caller, reason=reason)
        return self._receipt(
            "retracted",
            target.store,
            target.path,
            target.entry.id,
            before,
            after,
            ["hidden from search; its text is kept in the archive under the same id"],
        )

    def _end(
        self, target: Located, end: str, caller: Caller, by: str = "", reason: str = ""
    ) -> tuple[bytes | None, bytes | None]:
        def change(document: Document | None) -> bytes | None:
            document = self._present(document, target.store.address(target.path), "")
            i = one_index(document, target.entry.id, target.address)
            return None if document.entries[i].grain == "file" else amend.remove(document, i)

        return self._with_past(target, load()[target.read.place.kind], change, end, caller, by, reason)

    def located(self, address: str, project: str = "") -> Located:
        """The entry behind an id or address. Raises: NotFound, OutOfScope, BadRequest."""
        return locate(in_reach(self.scope, address, project, self.sightings), address, self.sightings)

    # -- steps -----------------------------------------------------------------------------------------------------

    def _with_past(
        self,
        target: Located,
        kind: Kind,
        change: Callable[[Document | None], bytes | None],
        end: str,
        caller: Caller,
        by: str = "",
        reason: str = "",
    ) -> tuple[bytes | None, bytes | None]:
        """Both halves of a change that ends a text: tried, then archive, then file; a failure undoes the archive."""
        store, path, entry_id = target.store, target.path, target.entry.id
        self._try(store, path, change)
        with store.writing():
            read = store.read(path)
            document = self._present(read.document if read else None, store.address(path), "")
            index = one_index(document, entry_id, target.address)
            ending = past.ended(document, index, end, caller.now, by=by, reason=reason)
            with past.kept(store, path, [] if kind.drawer == "working" and kind.mutability == "rewrite" else [ending]):
                edited = store.edit(path, change)
        return edited.before, edited.after

    def _try(self, store: Store, path: str, change: Callable[[Document | None], bytes | None]) -> None:
        read = store.read(path)
        change(read.document if read else None)

    def _present(self, document: Document | None, address: str, base: str) -> Document:
        if document is None:
            raise ChangedUnderneath(
                f"{address} was taken away a moment ago.", "Call search_memory for what is there now."
            )
        if base and base != etag(document.data):
            raise ChangedUnderneath(
                f"{address} has changed since etag {base!r}; it is now {etag(document.data)!r}.",
                "Read it again with get_project_memories, then pass its etag as 'base'.",
            )
        return document

    def _file(self, file: str, project: str) -> tuple[Store, str]:
        return destination.existing(in_reach(self.scope, file, project, self.sightings), file)

    def _receipt(
        self, op: str, store: Store, path: str, entry_id: str, before: bytes | None, after: bytes | None, why: list[str]
    ) -> Receipt:
        if entry_id and op != "retracted" and not self.sightings.label(entry_id):
            self.sightings.saw(entry_id, store.label, "")
        return changed(op, store, path, entry_id, before, after, why)
