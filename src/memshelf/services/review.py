"""A person's judgement: confirm, verify, and what becomes of two entries that contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from memshelf.domain.entry import TRUSTS, Entry, listed, stamp
from memshelf.domain.kinds import load
from memshelf.domain.text import clean, clean_line
from memshelf.errors import BadRequest, Contradiction, EvidenceMissing, Frozen, NeedsPerson, NotFound
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.marker import Marker, join
from memshelf.search.envelope import inline
from memshelf.services import anchors, past, rejected
from memshelf.services.addressing import Located, locate, one_index, present
from memshelf.services.attempt import Change, Step, Words
from memshelf.services.draft import Caller
from memshelf.services.ending import ending_step
from memshelf.services.gateway import Gateway
from memshelf.services.receipt import Receipt
from memshelf.store.store import Store

SHOWN = 600
"""Characters of a text in a question."""
DISPOSITIONS = ("keep-this", "keep-other", "keep-both", "retract-both", "new-text")
_MEANT = {
    "keep": "keep-this", "this": "keep-this", "other": "keep-other", "both": "keep-both", "neither": "retract-both",
    "retract": "retract-both", "text": "new-text", "new": "new-text",
}  # fmt: skip


@dataclass(slots=True)
class Review:
    """Judges entries in the stores of one scope."""

    gateway: Gateway

    def confirm(self, target: Located, caller: Caller, reason: str = "") -> Receipt:
        """Let an entry be as sure as a person's word makes it.

        Raises:
            NeedsPerson: an agent asks; Contradiction: it is contradicted, which is to be resolved first.
        """
        _person(caller, f"memshelf confirm {target.entry.id}", "confirms an entry")
        if target.entry.attributes.get("conflict"):
            raise Contradiction(
                f"{target.address} is contradicted by {target.entry.attributes['conflict']}.",
                f"Decide first: `memshelf resolve {target.entry.id} keep-this`, keep-other, keep-both or retract-both.",
            )
        now = stamp(caller.now)
        return self._marked(target, caller, "confirmed", {"trust": "confirmed", "ok": now, "unsupported": ""}, reason)

    def verify(self, target: Located, caller: Caller, evidence: str, reason: str = "") -> Receipt:
        """Give an entry evidence; what a person confirmed stays confirmed.

        Raises:
            EvidenceMissing: none is given.
        """
        if not evidence.strip():
            raise EvidenceMissing("'evidence' is missing.", "Pass what backs it: a path, a commit, a test run, a URL.")
        evidence = clean_line(evidence, "evidence")
        higher = TRUSTS.index("verified") > TRUSTS.index(target.entry.trust) if target.entry.trust in TRUSTS else False
        words = {
            "ev": evidence, "ok": stamp(caller.now), "unsupported": "",
            "anchor": anchors.anchors(evidence, anchors.repository(target.store)),
            **({"trust": "verified"} if higher else {}),
        }  # fmt: skip
        return self._marked(target, caller, "verified", words, reason, evidence)

    def resolve(
        self, stores: Sequence[Store], target: Located, disposition: str, caller: Caller, text: str = "",
        reason: str = "",
    ) -> Receipt:  # fmt: skip
        """Dispose of a conflict: keep one, both or neither of the two, or let a new text stand for both.

        `disposition`: keep-this (the named one), keep-other, keep-both, retract-both, new-text, or the id to keep.

        Raises:
            NeedsPerson: an agent asks; NotFound: it is in no conflict; BadRequest: no such disposition.
        """
        _person(caller, f"memshelf resolve {target.entry.id} keep-this", "decides a conflict")
        others = [found for entry_id in conflicting(target.entry) if (found := _find(stores, entry_id))]
        if not target.entry.attributes.get("conflict"):
            raise NotFound(f"{target.address} is in no conflict.", "List them with `memshelf conflicts`.")
        chosen = _disposition(disposition, target.entry.id, [other.entry.id for other in others])
        if chosen == "new-text":
            return self._replaced(target, others, clean(text)[0], caller, reason)
        words = Words(reason=reason)
        if chosen == "keep-both":
            changes = [
                _settled(target, list(conflicting(target.entry)), caller, apart=True),
                *(_settled(other, [target.entry.id], caller, apart=True) for other in others),
            ]
            return self.gateway.commit_all(changes, caller, words)
        losers = {"keep-this": others, "keep-other": [target], "retract-both": [target, *others]}[chosen]
        winners = {"keep-this": [target], "keep-other": others, "retract-both": []}[chosen]
        by = winners[0].entry.id if winners else ""
        changes = {
            loser.address: _ends(loser, "superseded" if by else "retracted", caller, by, reason) for loser in losers
        }
        for winner in winners:
            gone = list(conflicting(winner.entry)) if winner is target else [target.entry.id]
            changes[winner.address] = _settled(winner, gone, caller, sure=True)
        first = (winners or [target])[0].address
        done = self.gateway.commit_all([changes.pop(first), *changes.values()], caller, words)
        done.op = "resolved"
        done.reasons.append(
            f"{chosen}: {', '.join(loser.address for loser in losers) or 'nothing'} went to the archive"
        )
        return done

    # -- steps -----------------------------------------------------------------------------------------------------

    def _marked(
        self, target: Located, caller: Caller, op: str, words: dict[str, str], reason: str, evidence: str = ""
    ) -> Receipt:
        kind = load()[target.read.place.kind]
        if kind.trust:
            raise Frozen(
                f"{target.address} stands in an inbox: everything of kind {kind.name!r} is a {kind.trust}.",
                "File it where it belongs first, then confirm it there.",
            )

        def plan(document: Document | None) -> Step:
            document = present(document, target.address)
            i = one_index(document, target.entry.id, target.address)
            return Step(op, target.entry.id, amend.remark(document, i, words))

        return self.gateway.commit(target.store, target.path, plan, caller, Words(reason=reason, evidence=evidence))

    def _replaced(self, target: Located, others: list[Located], text: str, caller: Caller, reason: str) -> Receipt:
        def plan(document: Document | None) -> Step:
            document = present(document, target.address)
            i = one_index(document, target.entry.id, target.address)
            marker = document.markers[i] or Marker(target.entry.id, {})
            words = {
                "at": stamp(caller.now),
                "trust": "confirmed",
                "src": "user",
                "conflict": "",
                "ev": "",
                "anchor": "",
            }
            data = amend.reword(
                document, i, text, Marker(target.entry.id, marker.attributes, marker.foreign).updated(words)
            )
            ending = past.ended(document, i, "superseded", caller.now, by=target.entry.id, reason=reason)
            return Step("resolved", target.entry.id, data, [past.annotated(ending, _lost(target, target.entry.id))])

        changes = [
            Change(target.store, target.path, plan),
            *(_ends(other, "superseded", caller, target.entry.id, reason) for other in others),
        ]
        done = self.gateway.commit_all(changes, caller, Words({"text": text}, reason=reason))
        done.reasons.append(f"new-text: it stands for {', '.join([target.address, *(o.address for o in others)])}")
        return done


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked before an agent's judgement counts as theirs."""

    message: str
    """As shown: long texts are cut."""
    covers: str
    """What a yes is a yes to: a hash of all of it, uncut."""


def question(
    stores: Sequence[Store], target: Located | None, which: str, action: str, disposition: str = "", text: str = ""
) -> Question | None:
    """What a person is asked; None for what needs no person.

    `target` is the entry that `which` names, None to lift: then it names a rejected value.
    """
    message = _message(stores, target, which, action, disposition, text, SHOWN)
    whole = _message(stores, target, which, action, disposition, text, None)
    return Question(message, sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()) if message else None


def _message(
    stores: Sequence[Store], target: Located | None, which: str, action: str, disposition: str, text: str,
    limit: int | None,
) -> str:  # fmt: skip
    """The question with each text cut at `limit` characters; "" for what needs no person."""
    shown = _quoted(target, limit) if target else ""
    if action == "confirm":
        return f"Is this true, and shall it be remembered as confirmed by you? {shown}"
    if action == "lift" and (row := rejected.named(stores, which)):
        what = f"the rejected value {_cut(row.text, limit)}" if row.text else "a value that was forgotten"
        return f"An agent wants {what} to be let in again. It was turned down for: {inline(row.reason)}. Agree?"
    if action == "resolve":
        new = f" as {_cut(text, limit)}" if text else ""
        how = inline(disposition)[:60]
        others = [found for one in (conflicting(target.entry) if target else ()) if (found := _find(stores, one))]
        other = f" The other is {', '.join(_quoted(one, limit) for one in others)}." if others else ""
        return f"An agent wants to decide a contradiction by '{how}'{new}. This one is {shown}.{other} Agree?"
    if action == "reject" and target is not None and target.entry.trust == "confirmed":
        return f"You confirmed this; shall it be rejected as wrong for good? {shown}"
    return ""


def _quoted(found: Located, limit: int | None) -> str:
    return f"{_cut(found.entry.text, limit)} ({found.address})"


def _cut(text: str, limit: int | None) -> str:
    """A text in quotation marks; one that is cut says how much more there is."""
    line = inline(text)
    if limit is None or len(line) <= limit:
        return f'"{line}"'
    return f'"{line[:limit]}..." (and {len(line) - limit} characters more)'


def conflicts(stores: Sequence[Store]) -> list[tuple[Located, Located | None]]:
    """Every pair of entries that contradict each other, once, the older first; None where the other is gone."""
    there: dict[str, Located] = {}
    for store in stores:
        for read in store.every():
            for i, entry in enumerate(read.document.entries):
                if entry.attributes.get("conflict"):
                    there.setdefault(entry.id, Located(store, read, i))
    pairs: dict[frozenset[str], tuple[Located, Located | None]] = {}
    for found in there.values():
        for other_id in conflicting(found.entry):
            other = there.get(other_id) or _find(stores, other_id)
            pair = sorted(filter(None, (found, other)), key=lambda one: one.entry.attributes.get("at", ""))
            pairs.setdefault(frozenset((found.entry.id, other_id)), (pair[0], pair[1] if len(pair) > 1 else None))
    return list(pairs.values())


def conflicting(entry: Entry) -> tuple[str, ...]:
    """The ids that an entry is in conflict with."""
    return listed(entry.attributes.get("conflict", ""))


def listing(stores: Sequence[Store], record: Any) -> list[dict[str, Any]]:
    """The conflicts as rows {a, b, dispositions}; `record` shows an entry."""
    return [
        {"a": record(one), "b": record(other) if other else None, "dispositions": list(DISPOSITIONS)}
        for one, other in conflicts(stores)
    ]


def _find(stores: Sequence[Store], entry_id: str) -> Located | None:
    try:
        return locate(stores, entry_id)
    except (NotFound, BadRequest):
        return None


def _settled(target: Located, others: list[str], caller: Caller, apart: bool = False, sure: bool = False) -> Change:
    """Take the flag off; `apart`: and keep that they were looked at and all stand; `sure`: it won, so a person has
    confirmed it."""

    def plan(document: Document | None) -> Step:
        document = present(document, target.address)
        i = one_index(document, target.entry.id, target.address)
        attributes = document.entries[i].attributes
        words = {"conflict": join([f for f in listed(attributes.get("conflict", "")) if f not in others])}
        if apart:
            words["apart"] = join([*dict.fromkeys([*listed(attributes.get("apart", "")), *others])])
        if sure:
            words |= {"trust": "confirmed", "ok": stamp(caller.now)}
        return Step("resolved", target.entry.id, amend.remark(document, i, words))

    return Change(target.store, target.path, plan)


def _ends(target: Located, end: str, caller: Caller, by: str, reason: str) -> Change:
    """End the loser of a conflict."""

    def plan(document: Document | None) -> Step:
        document = present(document, target.address)
        return ending_step(document, target.entry.id, target.address, end, caller.now, by, reason, _lost(target, by))

    return Change(target.store, target.path, plan)


def _lost(target: Located, by: str) -> dict[str, str]:
    """The flag of what lost a conflict stays with it, and names what won, so that it is known to have been decided."""
    return {"conflict": join([*dict.fromkeys([*conflicting(target.entry), *filter(None, [by])])])}


def _disposition(text: str, this: str, others: list[str]) -> str:
    word = "-".join(text.strip().lower().replace("_", " ").replace("-", " ").split())
    if word.rpartition("#")[2] == this:
        return "keep-this"
    if word.rpartition("#")[2] in others:
        return "keep-other"
    word = _MEANT.get(word, word)
    if word not in DISPOSITIONS:
        raise BadRequest(
            f"'disposition' is {text[:40]!r}.", f"Pass one of {', '.join(DISPOSITIONS)}, or the id to keep."
        )
    return word


def _person(caller: Caller, command: str, does: str) -> None:
    if caller.channel != "person":
        raise NeedsPerson(f"Only a person {does}.", f"Ask the person to run `{command}`.")
