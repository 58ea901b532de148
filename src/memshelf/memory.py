"""The wiring: one object that opens the stores of a scope and offers every operation. Holds no rules of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memshelf.errors import (
    BadRequest,
    ChangedUnderneath,
    MemshelfError,
    NeedsPerson,
    NotFound,
    ProjectRequired,
    Refused,
    StoreTrouble,
)
from memshelf.services import archiving, audit, catalog, external, registering, review
from memshelf.services.addressing import in_reach, locate, locate_ended
from memshelf.services.draft import Caller, Draft
from memshelf.services.ending import Ending
from memshelf.services.forgetting import Forgetting
from memshelf.services.gateway import Gateway
from memshelf.services.recall import Recall
from memshelf.services.receipt import Receipt
from memshelf.services.record import record
from memshelf.services.review import Review
from memshelf.services.scope import Scope
from memshelf.services.writing import Writing
from memshelf.store.projects import Project, Registry, checked_slug, git_remote
from memshelf.store.store import Store


def user_home(environ: Mapping[str, str]) -> Path:
    """The user store's folder: MEMSHELF_HOME, else ~/.agents/memory."""
    named = environ.get("MEMSHELF_HOME")
    return Path(named).expanduser() if named else Path.home() / ".agents" / "memory"


def random_id() -> str:
    """A fresh id: 48 random bits as 12 hex."""
    return os.urandom(6).hex()


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Memory:
    """The stores that one server or one command works on."""

    scope: Scope
    channel: str
    clock: Callable[[], datetime] = utc_now
    new_id: Callable[[], str] = random_id
    gateway: Gateway = field(init=False)
    writing: Writing = field(init=False)
    ending: Ending = field(init=False)
    review: Review = field(init=False)
    recall: Recall = field(init=False)

    def __post_init__(self) -> None:
        self.gateway = Gateway(
            self.scope, lambda project, caller: registering.first_write(self.gateway, project, caller)
        )
        self.writing = Writing(self.scope, self.gateway)
        self.ending = Ending(self.gateway)
        self.review = Review(self.gateway)
        self.recall = Recall(self.scope, self.writing.sightings, lambda: self.clock())

    @classmethod
    def open(
        cls,
        channel: str,
        environ: Mapping[str, str],
        cwd: Path,
        pin: Path | None = None,
        wide: bool = False,
    ) -> Memory:
        """The memory for a working directory; `pin` (or MEMSHELF_PROJECT) binds it to that folder's project for good.

        Touches no store: nothing is read or made before the first call.

        Raises:
            ProjectRequired: `pin` is in no project.
        """
        home = user_home(environ)
        registry = Registry(home)
        named = pin or (Path(environ["MEMSHELF_PROJECT"]) if environ.get("MEMSHELF_PROJECT") else None)
        bound = registry.of(named.expanduser() if named else cwd)
        if named and bound is None:
            raise ProjectRequired(f"{str(named)!r} is in no project.", "Pass a folder that has .git or .agents/memory.")
        return cls(Scope(Store(home, "user", "user"), registry, bound, pinned=named is not None, wide=wide), channel)

    @property
    def caller(self) -> Caller:
        return Caller(self.channel, self.clock(), self.new_id)

    def person(self) -> Caller:
        """Who writes once a person has said yes to what they were asked, whatever channel this is."""
        return Caller("person", self.clock(), self.new_id)

    # -- reading ---------------------------------------------------------------------------------------------------

    def entry(self, address: str, project: str = "") -> dict[str, Any]:
        """One entry by id or address, as a hit without score.

        Raises:
            NotFound, OutOfScope, BadRequest.
        """
        return record(self.writing.located(address, project), self.clock())

    def projects(self) -> list[dict[str, Any]]:
        return catalog.projects(self.scope)

    def conflicts(self, project: str = "") -> list[dict[str, Any]]:
        """Each pair of entries that contradict each other: {a, b, dispositions}, the older first."""
        now = self.clock()
        return review.listing(self.scope.reading(project), lambda found: record(found, now))

    def health(self, project: str = "") -> dict[str, Any]:
        """What a person should look at; whatever was done by hand since the last look is recorded first."""
        stores = self.scope.reading(project)
        self.look(project)
        return catalog.health(stores, self.clock())

    def audit(self, project: str = "") -> dict[str, Any]:
        """Whether the journals are whole: {lines, broken: [{where, what}]}."""
        return audit.verified(self.scope.reading(project))

    def look(self, project: str = "") -> int:
        """Record what people and programs did to the files by hand; how many changes. Only where tools write, too."""
        seen = 0
        with suppress(StoreTrouble):
            self.gateway.finish(self.scope.reading(project))
        for store in self.scope.reading(project):
            if store.exists() and store.journal.exists():
                with suppress(StoreTrouble, OSError), store.writing():
                    seen += len(external.look(store, self.clock()))
        return seen

    # -- writing ---------------------------------------------------------------------------------------------------

    def add(self, draft: Draft) -> Receipt:
        with self._recorded("add", draft.project):
            return self.writing.add(draft, self.caller)

    def revise(
        self, *, entry_id: str = "", text: str = "", file: str = "", content: str = "", insert: str = "",
        base: str = "", project: str = "", source: str = "", evidence: str = "", reason: str = "",
        allow: Collection[str] = (),
    ) -> Receipt:  # fmt: skip
        """One of: id and text; file and content (with base); file and insert.

        Raises:
            BadRequest: none of the three, or parts of several.
        """
        forms = {"id": entry_id, "text": text, "file": file, "content": content, "insert": insert}
        given = {name for name, value in forms.items() if value}
        with self._recorded("revise", project, entry_id):
            if given == {"id", "text"}:
                return self.writing.revise(entry_id, text, self.caller, base, project, source, evidence, reason, allow)
            if given == {"file", "content"}:
                return self.writing.rewrite(file, content, base, self.caller, project, reason, allow)
            if given == {"file", "insert"}:
                return self.writing.insert(file, insert, self.caller, base, project, source, evidence, allow)
            raise BadRequest(
                f"Got {', '.join(sorted(given)) or 'nothing'} to revise.",
                "Pass 'id' and 'text', or 'file' and 'content' and 'base', or 'file' and 'insert'.",
            )

    def retract(self, entry_id: str, reason: str = "", project: str = "") -> Receipt:
        with self._recorded("retract", project, entry_id):
            return self.ending.retract(self.writing.located(entry_id, project), self.caller, reason)

    def forget(self, entry_id: str, reason: str = "", project: str = "") -> Receipt:
        """Purge an entry, live or ended, and every copy of it that is in reach."""
        with self._recorded("forget", project, entry_id):
            stores = in_reach(self.scope, entry_id, project, self.writing.sightings)
            try:
                target = locate(stores, entry_id, self.writing.sightings)
            except NotFound:
                target = locate_ended(stores, entry_id)
            return Forgetting(self.gateway).forget(stores, target, self.caller, reason)

    def reject(
        self, entry_id: str = "", reason: str = "", project: str = "", text: str = "", caller: Caller | None = None
    ) -> Receipt:
        """Find an entry, or a value that no entry says, wrong for good."""
        caller = caller or self.caller
        with self._recorded("reject", project, entry_id):
            if bool(entry_id) == bool(text.strip()):
                raise BadRequest("Pass an id or a text to reject, one of the two.", "Ids come from search_memory.")
            if text:
                return self.ending.reject_text(self._home(project), text, caller, reason)
            return self.ending.reject(self.writing.located(entry_id, project), caller, reason)

    def lift(self, which: str, reason: str, project: str = "", caller: Caller | None = None) -> Receipt:
        with self._recorded("lift", project):
            return self.ending.lift(self.scope.reading(project), which, caller or self.caller, reason)

    def confirm(self, entry_id: str, reason: str = "", project: str = "", caller: Caller | None = None) -> Receipt:
        with self._recorded("confirm", project, entry_id):
            return self.review.confirm(self.writing.located(entry_id, project), caller or self.caller, reason)

    def verify(self, entry_id: str, evidence: str, reason: str = "", project: str = "") -> Receipt:
        with self._recorded("verify", project, entry_id):
            return self.review.verify(self.writing.located(entry_id, project), self.caller, evidence, reason)

    def resolve(
        self, entry_id: str, disposition: str, text: str = "", reason: str = "", project: str = "",
        caller: Caller | None = None,
    ) -> Receipt:  # fmt: skip
        with self._recorded("resolve", project, entry_id):
            stores = in_reach(self.scope, entry_id, project, self.writing.sightings)
            target = self.writing.located(entry_id, project)
            return self.review.resolve(stores, target, disposition, caller or self.caller, text, reason)

    def question(
        self, action: str, entry_id: str, disposition: str = "", text: str = "", project: str = ""
    ) -> review.Question | None:
        """What a person has to be asked before an agent's judgement counts; None where it needs none."""
        with suppress(MemshelfError):
            stores = in_reach(self.scope, entry_id, project, self.writing.sightings)
            target = None if action == "lift" else self.writing.located(entry_id, project)
            return review.question(stores, target, entry_id, action, disposition, text)
        return None

    def judge(
        self, action: str, entry_id: str, agreed: bool | None, *, reason: str = "", evidence: str = "",
        disposition: str = "", text: str = "", project: str = "",
        asked: review.Question | None = None,
    ) -> Receipt:  # fmt: skip
        """confirm, reject, resolve, lift or verify one entry.

        `agreed` is what a person said to the question `asked`; None: nobody was asked.

        Raises:
            NeedsPerson: they did not agree; ChangedUnderneath: the question would be another by now; and what each of
                the five raises.
        """
        with self._recorded(action, project, entry_id):
            if agreed is False:
                raise NeedsPerson("The person was asked and did not agree.", "Leave it unless they bring it up.")
            if agreed and self.question(action, entry_id, disposition, text, project) != asked:
                raise ChangedUnderneath(
                    f"{entry_id} was changed while the person was asked about it; nothing was written.",
                    "Search again, then ask them about what stands there now.",
                )
        caller = self.person() if agreed else self.caller
        if action == "confirm":
            return self.confirm(entry_id, reason, project, caller)
        if action == "reject":
            return self.reject(entry_id, reason, project, caller=caller)
        if action == "lift":
            return self.lift(entry_id, reason, project, caller)
        if action == "resolve":
            return self.resolve(entry_id, disposition, text, reason, project, caller)
        return self.verify(entry_id, evidence, reason, project)

    def archive(self, apply: bool = False, project: str = "") -> list[dict[str, Any]]:
        """What age has made ready for the archive, {file, why, entries}; with `apply` it goes there."""
        if apply and self.channel != "person":
            raise NeedsPerson("Only a person archives.", "Ask them to run `memshelf archive --apply`.")
        rows: list[dict[str, Any]] = []
        for store in self.scope.reading(project):
            for one in archiving.due(store, self.clock()):
                file = store.address(one.read.place.path)
                rows.append({"file": file, "why": one.why, "entries": len(one.entries)})
                for found in one.entries if apply else ():
                    self.ending.archive(found, self.caller, one.why)
        return rows

    def register(self, slug: str, path: str, role: str = "", stack: str = "", status: str = "") -> Receipt:
        """Make a project known on this machine.

        Raises:
            BadName, BadRequest, OutOfScope: nothing was written.
        """
        with self._recorded("register"):
            if self.scope.pinned:
                self.scope.project(slug.strip())
            if not path.strip():
                raise BadRequest("'path' is missing.", "Pass the project's full path as 'path'.")
            root = Path(path).expanduser()
            remote = git_remote(root) if root.is_dir() else ""
            return registering.register(
                self.gateway, Project(checked_slug(slug.strip()), root, remote), self.caller, role, stack, status
            )

    def create(self) -> bool:
        """Make the user store where there is none."""
        return self.scope.user.create()

    # -- steps -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _recorded(self, op: str, project: str = "", entry_id: str = "") -> Iterator[None]:
        """What a killed process began is ended first; a refusal is journaled, by its code, in the first store of the
        scope that has a journal."""
        stores = self.scope.reading()
        with suppress(Refused):
            stores = in_reach(self.scope, entry_id, project, self.writing.sightings)
        self.gateway.finish(stores)
        try:
            yield
        except Refused as error:
            with suppress(MemshelfError):
                stores = self.scope.reading(project)
                short = entry_id.rpartition("#")[2][:12]
                for store in stores[:1] if stores[0].journal.exists() else stores[-1:]:
                    self.gateway.refused(store, op, error, self.caller, short if short.isalnum() else "")
            raise

    def _home(self, project: str) -> Store:
        """The store that a value without an entry is rejected in: the named project's, else the user's."""
        return self.scope.reading(project)[0] if project.strip() else self.scope.user
