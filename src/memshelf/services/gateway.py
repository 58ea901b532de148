"""The one way into a store: screened -> rejected values -> tried -> locks -> tried again -> written as one -> journal.

Every door ends here, so that no tool, command or import is freer than another. Every refusal is raised before a byte
moves: a change is tried on the files as they are, and again under the lock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memshelf.domain.entry import stamp
from memshelf.errors import ChangedUnderneath, MemshelfError, NotFound, Refused, StoreTrouble
from memshelf.format.document import Document
from memshelf.gate.screen import screen
from memshelf.services import external
from memshelf.services.attempt import Attempt, Change, Plan, Step, Words, archived, idle
from memshelf.services.draft import Caller
from memshelf.services.receipt import Receipt
from memshelf.services.rejected import KIND, Rejections, rejections
from memshelf.services.scope import Scope
from memshelf.store import batch
from memshelf.store.projects import Project
from memshelf.store.store import Overtaken, Store

FREE_TEXT = ("text", "content")
"""The arguments that a conversation may be pasted into."""
ROUNDS = 50
"""How often a change is planned anew because somebody saved in between."""


@dataclass(slots=True)
class Gateway:
    """Commits changes to the stores of one scope."""

    scope: Scope
    found_project: Callable[[Project, Caller], list[str]]
    """Makes a project's store and link card on its first write; says what it did."""

    def commit(
        self, store: Store, path: str, plan: Plan, caller: Caller, words: Words, project: Project | None = None
    ) -> Receipt:
        """Change one file, and what follows from that, or nothing; raises as `commit_all`."""
        return self.commit_all([Change(store, path, plan)], caller, words, project)

    def commit_all(
        self,
        changes: Sequence[Change],
        caller: Caller,
        words: Words,
        project: Project | None = None,
        thorough: bool = False,
    ) -> Receipt:
        """Make all of the changes, each planned on what those before it left, or none; the receipt of the first.

        Of the others, one whose entry was taken away meanwhile is left out. `thorough`: what killed processes left
        beside the files goes as well.

        Raises:
            Refused: any rule; StoreTrouble: the disk. Nothing was written.
        """
        _screen(changes, words)
        attempt = self._tried(changes)
        if attempt.idle:
            return attempt.receipt([])
        made = self.found_project(project, caller) if project is not None else []
        home = attempt.stores[0] if len(attempt.stores) == 1 else self.scope.user
        for store in (*attempt.stores, home):
            store.create()
            store.journal.digest("")  # what cannot be audited is refused before it is written
        with self._held([*attempt.stores, home]):
            for store, path in attempt.live:
                with suppress(StoreTrouble, OSError):
                    external.look_at(store, path, caller.now)
            for _ in range(ROUNDS):
                attempt = self._tried(changes)
                lines = attempt.lines(caller, words)
                try:
                    batch.write(home, attempt.writes(), lines, thorough)
                except Overtaken:
                    continue
                notes = self._told(attempt.live, lines)
                if thorough:
                    batch.sweep(attempt.stores)
                batch.end(home)
                return attempt.receipt([*made, *notes])
        raise ChangedUnderneath(
            f"{changes[0].store.address(changes[0].path)} keeps changing: another program writes to it all the time; "
            "nothing was written.",
            "Try again when that program is done.",
        )

    def finish(self, stores: Iterable[Store]) -> None:
        """End the changes that a killed process began in some stores, or in the user store.

        Raises:
            StoreTrouble: the disk would not.
        """
        stores = list(stores)
        if any(batch.pending(home) for home in (self.scope.user, *stores)):
            with self._held(stores):
                pass

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

    def _tried(self, changes: Sequence[Change]) -> Attempt:
        """All steps tried on the files as they are, in memory."""
        attempt = Attempt()
        known: dict[Path, Rejections] = {}
        waiting = [(change, n > 0) for n, change in enumerate(changes)]
        while waiting:
            change, optional = waiting.pop(0)
            before = attempt.document(change.store, change.path)
            try:
                step = change.plan(before)
            except (NotFound, ChangedUnderneath):
                if not optional:
                    raise
                continue
            if not idle(step, before) and not archived(change.path) and step.data is not None:
                self._check(change, before, step, known)
            attempt.take(change, step, before)
            waiting[:0] = [(one, True) for one in step.also]
        return attempt

    def _check(self, change: Change, before: Document | None, step: Step, known: dict[Path, Rejections]) -> None:
        store = change.store
        if step.op != "forgotten" and store.place(change.path).kind != KIND:  # neither says anything
            if store.root not in known:
                known[store.root] = rejections(self.stores(store))
            known[store.root].check(before, store.parse(change.path, step.data or b""))

    @contextmanager
    def _held(self, stores: Iterable[Store]) -> Iterator[None]:
        """The locks of the stores, in one order for everybody, and nothing half done in them."""
        wanted = {store.root: store for store in stores}
        while True:
            with ExitStack() as locks:
                for root in sorted(wanted):
                    if wanted[root].exists():
                        locks.enter_context(wanted[root].writing())
                begun = [one for one in self._begun(wanted.values()) if one.concerns(wanted)]
                more = {store.root: store for one in begun for store in one.stores.values() if store.root not in wanted}
                if not more:
                    for one in begun:
                        self._finish(one)
                    yield
                    return
            wanted |= more

    def _begun(self, stores: Iterable[Store]) -> Iterator[_Begun]:
        for home in {store.root: store for store in (self.scope.user, *stores)}.values():
            if batch.pending(home) and (change := batch.begun(home)) is not None:
                known = {label: self._store(home, label, root) for label, root in change.places}
                gone = {label for label, root in change.places if not root.is_dir()}
                there = {label: store for label, store in known.items() if store is not None}
                if known.keys() == there.keys() | gone:  # a server that may not reach all of it leaves it to others
                    yield _Begun(home, change, {home.label: home} | there)

    def _store(self, home: Store, label: str, root: Path) -> Store | None:
        if home.root == root:
            return home
        with suppress(MemshelfError):
            found = self.scope.opened(self.scope.project(label))
            return found if found.root == root and found.exists() else None
        return None

    def _finish(self, begun: _Begun) -> None:
        done, _ = batch.finish(begun.change, begun.stores)
        lines = [(begun.stores[label], line) for label, line in begun.change.lines if label in begun.stores]
        self._told([(one.store, one.path) for one in done], [line for line in lines if not _journaled(*line)])
        batch.sweep(begun.stores.values())
        batch.end(begun.home)

    def _told(self, written: Sequence[tuple[Store, str]], lines: Sequence[batch.Line]) -> list[str]:
        """The ledger and the journal brought up to what was written; what of that failed."""
        notes: list[str] = []
        for store in {store.root: store for store, _ in written}.values():
            try:
                external.wrote(store, [path for one, path in written if one.root == store.root and not archived(path)])
            except (OSError, StoreTrouble) as why:
                notes.append(f"the ledger of this machine could not be kept: {why}")
        for store, line in lines:
            try:
                store.ledger.wrote(store.journal.own.name, *store.journal.append(line))
            except (OSError, StoreTrouble) as why:
                notes.append(f"written, but the journal could not be: {why}")
        return notes


@dataclass(frozen=True, slots=True)
class _Begun:
    """A change that a killed process began, and the stores that it is about, by label."""

    home: Store
    change: batch.Begun
    stores: Mapping[str, Store]

    def concerns(self, roots: Collection[Path]) -> bool:
        return any(store.root in roots for store in self.stores.values())


def _screen(changes: Sequence[Change], words: Words) -> None:
    told = {what: text for what, text in (("reason", words.reason), ("evidence", words.evidence)) if text}
    fields = {what: text for what, text in words.given.items() if text} | told
    first = changes[0].store.scope
    screen(fields, first, words.allow, FREE_TEXT)
    for scope in {change.store.scope for change in changes} - {first}:
        screen(told, scope, words.allow, FREE_TEXT)


def _journaled(store: Store, line: Mapping[str, Any]) -> bool:
    """Whether a killed process came as far as this line."""
    words = {key: value for key, value in line.items() if value not in ("", None)}
    return any({k: v for k, v in one.items() if k not in ("seq", "prev")} == words for one in store.journal.records())
