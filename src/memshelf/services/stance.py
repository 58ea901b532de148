"""What a text that goes in does to those that it replaces or contradicts: they end, or both are flagged. Pure plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memshelf.domain.entry import listed
from memshelf.domain.kinds import Kind
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.marker import Marker, join
from memshelf.services.addressing import Located, one_index, present
from memshelf.services.attempt import Change, Plan, Step
from memshelf.services.draft import Caller
from memshelf.services.ending import ending_step
from memshelf.services.past import Ending
from memshelf.services.reconciling import Newcomer, Verdict, siblings, weighed
from memshelf.store.store import Store


@dataclass(frozen=True, slots=True)
class Stance:
    """What a text that goes in does to those that it replaces or contradicts."""

    marker: Marker
    op: str = ""
    effects: Sequence[Change] = ()
    reasons: Sequence[str] = ()

    def step(
        self,
        op: str,
        store: Store,
        path: str,
        data: bytes,
        endings: Sequence[Ending] = (),
        reasons: Sequence[str] = (),
    ) -> Step:
        """The step that makes `data` of a file, with the effects that are on the same file worked in."""
        after: bytes | None = data
        ends, also = [*endings], list[Change]()
        for effect in self.effects:
            if (effect.store.root, effect.path) != (store.root, path):
                also.append(effect)
                continue
            step = effect.plan(store.parse(path, after) if after is not None else None)
            after = step.data
            ends += step.endings
        return Step(self.op or op, self.marker.id, after, ends, also, [*reasons, *self.reasons])


def stance(store: Store, verdict: Verdict, marker: Marker, caller: Caller, old: Located | None = None) -> Stance:
    """`old`: the entry that the caller says it supersedes."""
    reasons: list[str] = []
    op, effects = "", list[Change]()
    if old is not None:
        op, effects = "updated", [_ended(old.store, old.path, old.entry.id, marker.id, caller)]
        reasons.append(f"supersedes {old.address}, which is kept in the archive")
    other = verdict.entry
    if other is None or verdict.what not in ("update", "conflict"):
        return Stance(marker, op, effects, reasons)
    address = store.address(verdict.path, other.id)
    if verdict.what == "update":
        effects.append(_ended(store, verdict.path, other.id, marker.id, caller))
        marker = marker.updated({"sup": marker.attributes.get("sup", "") or other.id})
        reasons.append(f"says otherwise than {address}, has more authority and replaces it")
        return Stance(marker, "updated", effects, reasons)
    effects.append(Change(store, verdict.path, _flagging(address, other.id, marker.id)))
    reasons.append(
        f"contradicts {address}: both are kept and flagged until a person decides "
        f"(`memshelf conflicts`); to replace it, pass supersedes={other.id!r}"
    )
    return Stance(_flagged(marker, other.id), "conflict", effects, reasons)


def contradicting(store: Store, kind: Kind, before: Document, after: Document, caller: Caller, step: Step) -> Step:
    """A whole file's step, with a flag on each text that is new in it and contradicts another, and on that other."""
    known = {(entry.id, entry.text) for entry in before.entries}
    fresh = [entry for entry in after.entries if entry.grain != "file" and (entry.id, entry.text) not in known]
    others = list(siblings(store, kind, after.path.partition("/")[2], [entry.text for entry in fresh]))
    path = after.path.partition("/")[2]
    staying = {entry.id for entry in after.entries}
    out = [entry for entry in before.entries if entry.grain != "file" and entry.id not in staying]
    was = {entry.id: entry for entry in before.entries}
    for entry in fresh:
        places = (entry, was.get(entry.id, entry), *out)
        new = Newcomer(entry.text, entry.attributes, caller.channel, caller.now, places)
        verdict = weighed(store, kind, path, after, new, others)
        if verdict.what not in ("update", "conflict") or verdict.entry is None:
            continue
        pair = ((path, entry.id, verdict.entry.id), (verdict.path, verdict.entry.id, entry.id))
        effects = [Change(store, where, _flagging(store.address(where, one), one, other)) for where, one, other in pair]
        its = Stance(Marker("", {}), "conflict", effects, [f"{pair[0][1]} contradicts {pair[0][2]}"])
        done = its.step("", store, path, step.data or b"", step.endings, step.reasons)
        step = Step(step.op, step.id, done.data, done.endings, [*step.also, *done.also], done.reasons)
    return step


def _ended(store: Store, path: str, entry_id: str, by: str, caller: Caller) -> Change:
    """End what is replaced."""
    address = store.address(path, entry_id)

    def plan(document: Document | None) -> Step:
        return ending_step(present(document, address), entry_id, address, "superseded", caller.now, by=by)

    return Change(store, path, plan)


def _flagging(address: str, entry_id: str, other: str) -> Plan:
    """The plan that marks an entry as contradicted by another."""

    def plan(document: Document | None) -> Step:
        document = present(document, address)
        i = one_index(document, entry_id, address)
        flags = _flags(document.entries[i].attributes, other)
        return Step("conflict", entry_id, amend.remark(document, i, {"conflict": flags}))

    return plan


def _flagged(marker: Marker, other: str) -> Marker:
    return marker.updated({"conflict": _flags(marker.attributes, other)})


def _flags(attributes: Mapping[str, str], other: str) -> str:
    return join([*dict.fromkeys([*listed(attributes.get("conflict", "")), other])])
