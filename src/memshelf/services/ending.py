"""Four ways to end an entry: retract, reject, forget, archive. Plans them; the gateway commits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from memshelf.domain.entry import REJECTED, stamp
from memshelf.domain.kinds import load
from memshelf.domain.layout import place
from memshelf.domain.skeleton import key
from memshelf.domain.text import clean, clean_line
from memshelf.errors import BadRequest, NeedsPerson, NotFound
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.rejected import Row, rows, with_rows
from memshelf.services import past, rejected, rules
from memshelf.services.addressing import Located, one_index, present
from memshelf.services.attempt import Change, Plan, Step, Words
from memshelf.services.draft import Caller
from memshelf.services.gateway import Gateway
from memshelf.services.receipt import Receipt
from memshelf.store.store import Store


def ending_step(
    document: Document,
    entry_id: str,
    address: str,
    end: str,
    now: datetime,
    by: str = "",
    reason: str = "",
    more: dict[str, str] | None = None,
) -> Step:
    """The file without an entry, whose text goes to the archive; without the file, where the entry is all of it."""
    i = one_index(document, entry_id, address)
    data = None if document.entries[i].grain == "file" else amend.remove(document, i)
    kind = load()[place(*_parts(document.path)).kind]
    ending = past.annotated(past.ended(document, i, end, now, by=by, reason=reason), more or {})
    return Step(end, entry_id, data, [] if past.leaves_none(kind) else [ending])


@dataclass(slots=True)
class Ending:
    """Ends entries in the stores of one scope."""

    gateway: Gateway

    def retract(self, target: Located, caller: Caller, reason: str = "") -> Receipt:
        """Take an entry out of what is recalled; its past stays in the archive.

        Raises:
            NotFound: there is no such entry (any more); nothing else is touched.
        """
        rules.check_end(load()[target.read.place.kind], caller.channel, target.address)

        def plan(document: Document | None) -> Step:
            document = present(document, target.address)
            return ending_step(document, target.entry.id, target.address, "retracted", caller.now, reason=reason)

        done = self.gateway.commit(target.store, target.path, plan, caller, Words(reason=reason))
        done.reasons.append("hidden from search; its text is kept in the archive under the same id")
        return done

    def reject(self, target: Located, caller: Caller, reason: str) -> Receipt:
        """Retract an entry and every other one of the store that says the same, and let that value in no more.

        Raises:
            BadRequest: no reason; NeedsPerson: a person confirmed it and this is an agent.
        """
        reason = required(reason)
        kind = load()[target.read.place.kind]
        rules.check_end(kind, caller.channel, target.address)
        if target.entry.trust == "confirmed" and caller.channel != "person":
            raise NeedsPerson(
                f"{target.address} was confirmed by a person, so a person rejects it.",
                f'Ask the person to run `memshelf reject {target.entry.id} --reason "..."`.',
            )
        text = target.entry.text
        if target.entry.grain == "file":
            text = "".join(target.read.document.lines[target.read.document.first :]).strip()
        row = Row(text, reason, caller.channel, stamp(caller.now), key(text), target.entry.id)
        same = [twin for twin in saying(target.store, key(text)) if twin.entry.id != target.entry.id]
        changes = [
            _rejecting(target, caller, reason),
            Change(target.store, rejected.PATH, registering([row])),
            *(_rejecting(twin, caller, reason) for twin in same),
        ]
        done = self.gateway.commit_all(changes, caller, Words({"text": text}, reason=reason))
        done.reasons += [
            f"its value is in {target.store.address(rejected.PATH)} and stays out, however it is spelled",
            *(f"{twin.address} said the same and went with it" for twin in same),
        ]
        return done

    def reject_text(self, store: Store, text: str, caller: Caller, reason: str) -> Receipt:
        """Let a value in no more, whether or not an entry says it now.

        Raises:
            BadRequest: no reason; EmptyText: no text.
        """
        reason, text = required(reason), clean(text)[0]
        row = Row(text, reason, caller.channel, stamp(caller.now), key(text))
        same = list(saying(store, row.key))
        changes = [
            Change(store, rejected.PATH, registering([row])),
            *(_rejecting(twin, caller, reason) for twin in same),
        ]
        done = self.gateway.commit_all(changes, caller, Words({"text": text}, reason=reason))
        done.reasons += [f"key {row.key}", *(f"{twin.address} said so and went with it" for twin in same)]
        return done

    def lift(self, stores: list[Store], which: str, caller: Caller, reason: str) -> Receipt:
        """Let a rejected value in again, named by its key or the id that said it; what ended stays archived.

        Raises:
            NeedsPerson: an agent asks; BadRequest: no reason; NotFound: no such rejected value.
        """
        reason = required(reason)
        if caller.channel != "person":
            raise NeedsPerson("Only a person lets a rejected value in again.", f"Ask them: `memshelf lift {which}`.")
        wanted = which.strip().rpartition("#")[2].lower()
        for store in stores:
            found = [row for row in rows(store.raw(rejected.PATH)) if wanted and wanted in (row.key, row.id)]
            if found:
                keys = {row.key for row in found}

                def plan(document: Document | None, keys: set[str] = keys) -> Step:
                    data = document.data if document else None
                    left = [row for row in rows(data) if row.key not in keys]
                    return Step("lifted", wanted if len(wanted) == 12 else "", with_rows(data, left))

                done = self.gateway.commit(store, rejected.PATH, plan, caller, Words(reason=reason))
                done.reasons.append("its value may be said again; what was ended stays in the archive")
                return done
        raise NotFound(f"{which!r} names no rejected value.", "Look into REJECTED.md for its key.")

    def archive(self, target: Located, caller: Caller, reason: str) -> Receipt:
        """Put an entry, or a whole file, into the cold store: not wrong, no longer needed."""

        def plan(document: Document | None) -> Step:
            document = present(document, target.address)
            return ending_step(document, target.entry.id, target.address, "archived", caller.now, reason=reason)

        return self.gateway.commit(target.store, target.path, plan, caller, Words(reason=reason))


def _rejecting(target: Located, caller: Caller, reason: str) -> Change:
    def plan(document: Document | None) -> Step:
        document = present(document, target.address)
        step = ending_step(
            document, target.entry.id, target.address, "retracted", caller.now, "", reason, {"trust": REJECTED}
        )
        return Step("rejected", step.id, step.data, step.endings)

    return Change(target.store, target.path, plan)


def _parts(path: str) -> tuple[str, str]:
    store, _, rest = path.partition("/")
    return store, rest


def registering(new: list[Row]) -> Plan:
    """The plan that adds rows to REJECTED.md; a key that is there already is left as it stands."""

    def plan(document: Document | None) -> Step:
        data = document.data if document else None
        old = rows(data)
        known = {row.key for row in old}
        fresh = [row for row in new if row.key not in known]
        if not fresh:
            return Step("noop", "", data, reasons=["it is rejected already"])
        return Step("rejected", "", with_rows(data, [*old, *fresh]))

    return plan


def saying(store: Store, value: str, archived: bool = False) -> Iterator[Located]:
    """Every live, or every archived, entry of a store whose text has a key."""
    for read in list(store.every(archived=archived)):
        for i, entry in enumerate(read.document.entries):
            if entry.grain != "file" and key(entry.text) == value:
                yield Located(store, read, i)


def required(reason: str) -> str:
    if not reason.strip():
        raise BadRequest("'reason' is missing.", "Say in one line why, for whoever asks later.")
    return clean_line(reason, "reason")
