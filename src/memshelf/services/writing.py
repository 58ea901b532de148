"""Adding and changing what entries say. Plans new bytes by the rules of a kind; the gateway commits them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from memshelf.domain.entry import stamp
from memshelf.domain.kinds import Kind, load
from memshelf.domain.text import clean, clean_line
from memshelf.errors import BadRequest, EmptyText, Frozen, NotFound
from memshelf.format import amend, whole
from memshelf.format.document import Document
from memshelf.format.marker import Marker
from memshelf.services import anchors, destination, past, rules
from memshelf.services.addressing import Located, Sightings, in_reach, locate, one_index, present
from memshelf.services.attempt import Step, Words
from memshelf.services.draft import Caller, Draft
from memshelf.services.draft import attributes as marker_attributes
from memshelf.services.gateway import Gateway
from memshelf.services.instead import revise_instead
from memshelf.services.receipt import Receipt
from memshelf.services.reconciling import Newcomer, Verdict, weighed
from memshelf.services.scope import Scope
from memshelf.services.stance import contradicting, stance
from memshelf.store.store import Store


@dataclass(slots=True)
class Writing:
    """Adds and rewords entries in the stores of one scope."""

    scope: Scope
    gateway: Gateway
    sightings: Sightings = field(default_factory=Sightings)

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
        attributes |= _anchored(attributes.get("ev", ""), store)
        old = self._superseded(draft, caller)
        marker = Marker(caller.new_id(), attributes)
        if kind.grain == "heading":
            text = f"{caller.now:%H:%M} - {clean_line(draft.name or kind.name, 'name')}\n{text}"
        title = destination.title(kind, draft.name, spot)
        fields = {
            "text": draft.text, "name": draft.name, "collection": draft.collection, "source": draft.source,
            "tags": " ".join(draft.tags), "aliases": " ".join(draft.aliases), "applies": draft.applies,
        }  # fmt: skip

        def plan(document: Document | None) -> Step:
            if document is None:
                destination.check_active(store, kind, spot.path)
            elif kind.mutability == "frozen":
                raise Frozen(
                    f"{store.address(spot.path)} exists and is frozen.", f"File this {kind.name} under another name."
                )
            elif kind.mutability not in ("append", "inbox"):
                raise revise_instead(store, spot.path, kind, document)
            return self._filed(store, spot.path, kind, document, text, marker, caller, old, title)

        why = [f"kind {kind.name} is {kind.mutability}: {spot.why}", *_taken_out(removed)]
        words = Words(fields, draft.allow, evidence=draft.evidence)
        done = self.gateway.commit(store, spot.path, plan, caller, words, project)
        done.reasons[:0] = why if done.op != "noop" else []
        return self._saw(done, store)

    def _superseded(self, draft: Draft, caller: Caller) -> Located | None:
        if not draft.supersedes:
            return None
        old = self.located(draft.supersedes, draft.project)
        rules.check_end(load()[old.read.place.kind], caller.channel, old.address)
        return old

    def _filed(
        self,
        store: Store,
        path: str,
        kind: Kind,
        document: Document | None,
        text: str,
        marker: Marker,
        caller: Caller,
        old: Located | None = None,
        title: str = "",
    ) -> Step:
        """One more entry in a file, after what it replaces or contradicts has been weighed."""
        new = Newcomer(text, marker.attributes, caller.channel, caller.now, (old.entry,) if old else ())
        verdict = weighed(store, kind, path, document, new)
        if verdict.what == "noop" and old is None and kind.mutability != "frozen" and verdict.entry is not None:
            return _noop(store, verdict, document)
        its = stance(store, verdict, marker, caller, old)
        rules.check_size(kind, len(document.lines) if document else 0, text)
        if document is None:
            data = amend.new_file(title, text, its.marker, kind.grain, f"{store.scope}/{path}")
        else:
            data = amend.add(document, text, its.marker)
        return its.step("added", store, path, data)

    # -- revise ----------------------------------------------------------------------------------------------------

    def revise(
        self, address: str, text: str, caller: Caller, base: str = "", project: str = "", source: str = "",
        evidence: str = "", reason: str = "", allow: Collection[str] = (),
    ) -> Receipt:  # fmt: skip
        """Let entry `address` say `text`; its id stays, what it said before goes to the archive.

        Raises:
            Refused: it is not there, its kind is not reworded, or `base` is not the file's etag.
        """
        given = text
        text, removed = clean(text)
        target = self.located(address, project)
        kind = load()[target.read.place.kind]
        rules.check_reword(kind, target.read.place, target.address, destination.newest(target.store, kind), caller.now)
        entry = target.entry
        changes = _credentials(kind, caller, source, evidence, target.store) | {"ok": ""}

        def plan(document: Document | None) -> Step:
            document = present(document, target.store.address(target.path), base)
            i = one_index(document, entry.id, target.address)
            if document.entries[i].text == text:
                return Step("noop", entry.id, document.data, reasons=["it says so already; no byte changed"])
            marker = document.markers[i] or Marker(entry.id, {})
            rules.check_size(kind, len(document.lines) - (document.spans[i].end - document.spans[i].start), text)
            marker = Marker(entry.id, marker.attributes, marker.foreign).updated(changes)
            new = Newcomer(text, marker.attributes, caller.channel, caller.now, (document.entries[i],))
            its = stance(target.store, weighed(target.store, kind, target.path, document, new), marker, caller)
            ending = past.ended(document, i, "superseded", caller.now, by=entry.id, reason=reason)
            why = ["its id stays; what it said before is in the archive", *_taken_out(removed)]
            kept = [] if past.leaves_none(kind) else [ending]
            data = amend.reword(document, i, text, its.marker)
            return its.step("revised", target.store, target.path, data, kept, why)

        words = Words({"text": given, "source": source}, allow, reason, evidence)
        return self._saw(self.gateway.commit(target.store, target.path, plan, caller, words), target.store)

    def insert(
        self, file: str, text: str, caller: Caller, base: str = "", project: str = "", source: str = "",
        evidence: str = "", allow: Collection[str] = (),
    ) -> Receipt:  # fmt: skip
        """One more entry in an existing file, whatever its kind's add would say, unless it is frozen."""
        given = text
        text, removed = clean(text)
        store, path = self._file(file, project)
        read = store.read(path)
        if read is None:
            raise NotFound(f"{file!r} was taken away a moment ago.", "Call get_project_memories.")
        kind = load()[read.place.kind]
        rules.check_reword(kind, read.place, store.address(path), destination.newest(store, kind), caller.now)
        attributes = {k: v for k, v in _credentials(kind, caller, source, evidence, store).items() if v}
        rules.check_required(kind, text, attributes)
        marker = Marker(caller.new_id(), attributes)

        def plan(document: Document | None) -> Step:
            document = present(document, store.address(path), base)
            return self._filed(store, path, kind, document, text, marker, caller)

        words = Words({"text": given, "source": source}, allow, evidence=evidence)
        done = self.gateway.commit(store, path, plan, caller, words)
        if done.op != "noop":
            done.reasons[:0] = [f"added to {store.address(path)}", *_taken_out(removed)]
        return self._saw(done, store)

    def rewrite(
        self, file: str, content: str, base: str, caller: Caller, project: str = "", reason: str = "",
        allow: Collection[str] = (),
    ) -> Receipt:  # fmt: skip
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
        if read is None:
            raise NotFound(f"{file!r} was taken away a moment ago.", "Call get_project_memories.")
        kind = load()[read.place.kind]
        rules.check_reword(kind, read.place, store.address(path), destination.newest(store, kind), caller.now)
        trust = rules.trust(kind, caller.channel, "", "")
        attributes = {"at": stamp(caller.now), "trust": "" if trust == "derived" else trust}

        def plan(document: Document | None) -> Step:
            document = present(document, store.address(path), base)
            data, gone = whole.rewritten(document, content, caller.new_id, attributes)
            rules.check_size(kind, data.count(b"\n"), "")
            endings = [past.left_out(entry, "superseded", caller.now, reason) for entry in gone]
            why = [f"written as a whole; {len(gone)} entries left out or reworded are in the archive"]
            step = Step("revised", "", data, [] if past.leaves_none(kind) else endings, reasons=why)
            after = store.parse(path, data)
            return step if caller.channel == "person" else contradicting(store, kind, document, after, caller, step)

        return self.gateway.commit(store, path, plan, caller, Words({"content": content}, allow, reason))

    # -- where -----------------------------------------------------------------------------------------------------

    def located(self, address: str, project: str = "") -> Located:
        """The entry behind an id or address. Raises: NotFound, OutOfScope, BadRequest."""
        return locate(in_reach(self.scope, address, project, self.sightings), address, self.sightings)

    def _file(self, file: str, project: str) -> tuple[Store, str]:
        return destination.existing(in_reach(self.scope, file, project, self.sightings), file)

    def _saw(self, done: Receipt, store: Store) -> Receipt:
        if done.id and not self.sightings.label(done.id):
            self.sightings.saw(done.id, store.label, "")
        return done


def _noop(store: Store, verdict: Verdict, document: Document | None) -> Step:
    assert verdict.entry is not None
    address = store.address(verdict.path, verdict.entry.id)
    data = document.data if document else None
    return Step(
        "noop", verdict.entry.id, data, reasons=[f"{address} says so already; no byte changed"], address=address
    )


def _credentials(kind: Kind, caller: Caller, source: str, evidence: str, store: Store) -> dict[str, str]:
    """What a marker says of who told this and why; "" takes an attribute away."""
    source, evidence = (clean_line(v, what) if v else "" for v, what in ((source, "source"), (evidence, "evidence")))
    trust = rules.trust(kind, caller.channel, source, evidence)
    words: Mapping[str, str] = {
        "at": stamp(caller.now), "src": source, "ev": evidence, "trust": "" if trust == "derived" else trust,
        "anchor": "", "unsupported": "",
    }  # fmt: skip
    return {**words, **_anchored(evidence, store)}


def _anchored(evidence: str, store: Store) -> dict[str, str]:
    found = anchors.anchors(evidence, anchors.repository(store))
    return {"anchor": found} if found else {}


def _taken_out(removed: int) -> Sequence[str]:
    return [f"{removed} invisible character{'s' * (removed > 1)} taken out"] if removed else []
