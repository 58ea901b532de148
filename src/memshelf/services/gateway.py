"""The one way into a store: screened -> rejected values -> tried -> lock, read, compare -> archive -> write -> journal.

Every door ends here, so that no tool, command or import is freer than another. Every refusal is raised before a byte
moves: a change is tried on the file as it is, and again under the lock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from memshelf.domain.entry import stamp
from memshelf.domain.kinds import load
from memshelf.errors import ChangedUnderneath, Refused, StoreTrouble
from memshelf.format.document import Document
from memshelf.gate.screen import screen
from memshelf.services import external, past
from memshelf.services.draft import Caller
from memshelf.services.past import Ending
from memshelf.services.receipt import Receipt, changed
from memshelf.services.rejected import KIND, rejections
from memshelf.services.scope import Scope
from memshelf.store import files
from memshelf.store.projects import Project
from memshelf.store.store import ARCHIVE, Store

FREE_TEXT = ("text", "content")
"""The arguments that a conversation may be pasted into."""
ROUNDS = 50
"""How often a change is planned anew because somebody saved in between."""


class _Again(Exception):
    """The file is no longer the one that the change was planned on."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one file becomes; `data` None: no file."""

    op: str
    """added, updated, conflict, revised, retracted, ... as receipts say; noop: nothing is written."""
    id: str
    data: bytes | None
    endings: Sequence[Ending] = ()
    """Texts that end with it, written to the archive first."""
    also: Sequence[tuple[str, Plan]] = ()
    """Changes to other files of the same store that follow, under the same lock."""
    reasons: Sequence[str] = ()
    address: str = ""
    """Where the entry stands, if not in this file."""


Plan = Callable[[Document | None], Step]
"""Pure: from the file as it stands (None: no file) to what it becomes; raises what refuses it."""


@dataclass(frozen=True, slots=True)
class Words:
    """What a caller brought, by argument, to be screened; and the rules that they say do not apply."""

    given: Mapping[str, str] = field(default_factory=dict)
    allow: Collection[str] = ()
    reason: str = ""
    evidence: str = ""


@dataclass(slots=True)
class Gateway:
    """Commits changes to the stores of one scope."""

    scope: Scope
    found_project: Callable[[Project, Caller], list[str]]
    """Makes a project's store and link card on its first write; says what it did."""

    def commit(
        self, store: Store, path: str, plan: Plan, caller: Caller, words: Words, project: Project | None = None
    ) -> Receipt:
        """Change one file, and what follows from that, or nothing.

        Raises:
            Refused: any rule; StoreTrouble: the disk. Nothing was written.
        """
        fields = {what: text for what, text in words.given.items() if text}
        fields |= {k: v for k, v in (("reason", words.reason), ("evidence", words.evidence)) if v}
        screen(fields, store.scope, words.allow, FREE_TEXT)
        read = store.read(path)
        document = read.document if read else None
        tried = plan(document)
        self._check(store, path, document, tried)
        if _idle(tried, document):
            return self._receipt(store, path, tried, files.Edited(tried.data, tried.data), [])
        made = self.found_project(project, caller) if project is not None else []
        store.create()
        store.journal.digest("")  # what cannot be audited is refused before it is written
        with store.writing():
            if not path.startswith(f"{ARCHIVE}/"):
                with suppress(StoreTrouble, OSError):
                    external.look_at(store, path, caller.now)
            step, edited, before = self._apply(store, path, plan)
            touched = [path]
            for other, following in step.also:
                with suppress(Refused):  # taken away by hand meanwhile
                    self._apply(store, other, following)
                    touched.append(other)
            notes = self._settle(store, touched)
            if not _idle(step, before):
                notes += self._journal(store, path, step, before, edited, caller, words)
        return self._receipt(store, path, step, edited, [*made, *notes])

    def refused(self, store: Store, op: str, error: Refused, caller: Caller, entry_id: str = "") -> None:
        """Record a refusal, by its code alone, where there is a journal to record it in."""
        if not store.journal.exists():
            return
        line = {"at": stamp(caller.now), "op": "refused", "what": op, "channel": caller.channel, "code": error.code}
        with suppress(OSError, StoreTrouble), store.writing():
            store.ledger.wrote(store.journal.own.name, *store.journal.append(line | {"id": entry_id}))

    def stores(self, store: Store) -> list[Store]:
        """Whose rejected values hold for a write to `store`: its own, the user's and the bound project's."""
        bound = [self.scope.opened(self.scope.bound)] if self.scope.bound else []
        out: list[Store] = []
        for one in (store, *bound, self.scope.user):
            if one.exists() and one.root not in [other.root for other in out]:
                out.append(one)
        return out

    # -- steps -----------------------------------------------------------------------------------------------------

    def _apply(self, store: Store, path: str, plan: Plan) -> tuple[Step, files.Edited, Document | None]:
        for _ in range(ROUNDS):
            read = store.read(path)
            before = read.document if read else None
            step = plan(before)
            self._check(store, path, before, step)
            base = before.data if before else None

            def change(now: Document | None, base: bytes | None = base, data: bytes | None = step.data) -> bytes | None:
                if (now.data if now else None) != base:
                    raise _Again
                return data

            try:
                with past.kept(store, path, step.endings):
                    return step, store.edit(path, change), before
            except _Again:
                continue
        raise ChangedUnderneath(
            f"{store.address(path)} keeps changing: another program writes to it all the time; nothing was written.",
            "Try again when that program is done.",
        )

    def _check(self, store: Store, path: str, before: Document | None, step: Step) -> None:
        if step.data is None or _idle(step, before) or path.startswith(f"{ARCHIVE}/"):
            return
        if step.op != "forgotten" and store.place(path).kind != KIND:  # neither says anything
            rejections(self.stores(store)).check(before, store.parse(path, step.data))

    def _settle(self, store: Store, paths: Sequence[str]) -> list[str]:
        try:
            external.wrote(store, [path for path in paths if not path.startswith(f"{ARCHIVE}/")])
        except (OSError, StoreTrouble) as why:
            return [f"the ledger of this machine could not be kept: {why}"]
        return []

    def _journal(
        self,
        store: Store,
        path: str,
        step: Step,
        before: Document | None,
        edited: files.Edited,
        caller: Caller,
        words: Words,
    ) -> list[str]:
        place, digest = store.place(path), store.journal.digest
        after = store.parse(path, edited.after) if edited.after is not None else None
        kind = load()[place.kind]
        line = {
            "at": stamp(caller.now), "op": step.op, "id": step.id, "kind": kind.name, "channel": caller.channel,
            "file": digest(path), "before": _said(before, step.id, digest), "after": _said(after, step.id, digest),
            "why": digest(words.reason) if words.reason else "", "ev": digest(words.evidence) if words.evidence else "",
            "series": kind.series or kind.name if place.number is not None else "", "n": place.number or "",
        }  # fmt: skip
        try:
            store.ledger.wrote(store.journal.own.name, *store.journal.append(line))
        except (OSError, StoreTrouble) as why:
            return [f"written, but the journal could not be: {why}"]
        return []

    def _receipt(self, store: Store, path: str, step: Step, edited: files.Edited, more: list[str]) -> Receipt:
        done = changed(step.op, store, path, step.id, edited.before, edited.after, [*step.reasons, *more])
        done.address = step.address or done.address
        return done


def _idle(step: Step, document: Document | None) -> bool:
    return step.op == "noop" or (step.data == (document.data if document else None) and not step.also)


def _said(document: Document | None, entry_id: str, digest: Callable[[str], str]) -> str:
    found = document.where(entry_id) if document and entry_id else []
    return digest(document.entries[found[0]].text) if document and found else ""
