"""The wiring: one object that opens the stores of a scope and offers every operation. Holds no rules of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memshelf.domain.kinds import load
from memshelf.domain.text import shown
from memshelf.errors import BadRequest, ProjectRequired
from memshelf.search.envelope import inline
from memshelf.search.scan import INCLUDES, Answer, Match, Query, scan
from memshelf.services import catalog, registering
from memshelf.services.addressing import in_reach
from memshelf.services.draft import Caller, Draft
from memshelf.services.receipt import Receipt
from memshelf.services.scope import Scope
from memshelf.services.writing import Writing
from memshelf.store.projects import Project, Registry, checked_slug, git_remote
from memshelf.store.store import Store

MOST_HITS = 100
ANSWER_CHARACTERS = 24_000
"""Ceiling of the texts in one answer; what it leaves out is counted in `dropped`."""
TEXT_CHARACTERS = 4_000
"""Ceiling of one hit's text; a longer one ends in a note of how to read the rest."""


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
    writing: Writing = field(init=False)

    def __post_init__(self) -> None:
        self.writing = Writing(self.scope, lambda project, caller: registering.first_write(self.scope, project, caller))

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

    # -- reading ---------------------------------------------------------------------------------------------------

    def search(self, query: Query, project: str = "") -> dict[str, Any]:
        """{outcome, hits, dropped, note}; outcome is hits, no_match, store_missing or unreadable.

        Raises:
            BadRequest, UnknownKind, UnknownProject, OutOfScope.
        """
        if not query.words.strip():
            raise BadRequest("'query' is empty.", "Pass the words that you look for as 'query'.")
        if not 1 <= query.limit <= MOST_HITS:
            raise BadRequest(f"'limit' is {query.limit}, not within 1 and {MOST_HITS}.", "Pass a smaller 'limit'.")
        if strange := [word for word in query.include if word not in INCLUDES]:
            raise BadRequest(f"'include' has {strange[0]!r}.", f"Pass any of {', '.join(INCLUDES)}.")
        table = load()
        kinds = tuple(table.named(kind).name for kind in query.kinds)
        query = Query(query.words, query.also, kinds, query.tags, query.applies, query.include, query.limit)
        stores = self.scope.reading(project)
        answer = scan(stores, query, self.clock())
        hits, dropped = self._hits(answer)
        note = inline("; ".join(f"{t.path}: {t.why}" for t in answer.trouble[:5]))
        if hits:
            outcome = "hits"
        elif not any(store.exists() for store in stores):
            outcome, note = "store_missing", "There is no store yet; the first add_memory makes it."
        elif answer.trouble and any("cannot be read" in t.why for t in answer.trouble):
            outcome = "unreadable"
        else:
            outcome, note = "no_match", note or "Try other words, or pass 'also' with words the note might use."
        return {"outcome": outcome, "hits": hits, "dropped": dropped, "note": note}

    def _hits(self, answer: Answer) -> tuple[list[dict[str, Any]], int]:
        hits: list[dict[str, Any]] = []
        size, dropped = 0, answer.dropped
        for match in answer.matches:
            hit = self._hit(match)
            size += len(hit["text"])
            if size > ANSWER_CHARACTERS and hits:
                dropped += 1
                continue
            self.writing.sightings.saw(match.entry.id, match.store.label, match.entry.text)
            hits.append(hit)
        return hits, dropped

    def _hit(self, match: Match) -> dict[str, Any]:
        entry, read, store = match.entry, match.read, match.store
        file = store.address(read.place.path)
        text = entry.text
        if entry.grain == "file":
            text = "".join(read.document.lines[read.document.first :]).strip()
        if len(text) > TEXT_CHARACTERS:
            more = len(text) - TEXT_CHARACTERS
            text = f"{text[:TEXT_CHARACTERS]}… ({more} more characters: get_project_memories(file={file!r}))"
        hit = entry_record(store, read.place.kind, read.place.name, file, entry, match.state, self.clock())
        hit |= {"text": shown(text), "score": match.score, "arms": list(match.arms)}
        return hit | ({"file_id": match.file_id} if match.file_id and entry.grain != "file" else {})

    def files(self, project: str = "", kind: str = "") -> dict[str, Any]:
        """{project, files: [{file, kind, name, one_liner, entries, updated}], note}."""
        stores = self.scope.reading(project)
        rows, trouble = catalog.files(stores, kind)
        return {
            "project": stores[0].label,
            "files": rows,
            "note": inline("; ".join(f"{t.path}: {t.why}" for t in trouble[:20])),
        }

    def file(self, file: str, project: str = "") -> dict[str, Any]:
        """{file, etag, kind, entries: [...], content}."""
        store, read = catalog.one_file(in_reach(self.scope, file, project, self.writing.sightings), file)
        address, now = store.address(read.place.path), self.clock()
        entries = [
            entry_record(store, read.place.kind, read.place.name, address, entry, entry.state(now), now)
            for entry in read.document.entries
        ]
        for entry in read.document.entries:
            self.writing.sightings.saw(entry.id, store.label, entry.text)
        content = read.document.data.decode("utf-8", "replace")
        return {"file": address, "etag": read.etag, "kind": read.place.kind, "entries": entries, "content": content}

    def entry(self, address: str, project: str = "") -> dict[str, Any]:
        """One entry by id or address, as a hit without score.

        Raises:
            NotFound, OutOfScope, BadRequest.
        """
        found = self.writing.located(address, project)
        read, now = found.read, self.clock()
        file = found.store.address(found.path)
        return entry_record(
            found.store, read.place.kind, read.place.name, file, found.entry, found.entry.state(now), now
        )

    def projects(self) -> list[dict[str, Any]]:
        return catalog.projects(self.scope)

    def health(self, project: str = "") -> dict[str, Any]:
        return catalog.health(self.scope.reading(project))

    # -- writing ---------------------------------------------------------------------------------------------------

    def add(self, draft: Draft) -> Receipt:
        return self.writing.add(draft, self.caller)

    def revise(
        self, *, entry_id: str = "", text: str = "", file: str = "", content: str = "", insert: str = "",
        base: str = "", project: str = "", source: str = "", evidence: str = "",
    ) -> Receipt:  # fmt: skip
        """One of: id and text; file and content (with base); file and insert.

        Raises:
            BadRequest: none of the three, or parts of several.
        """
        given = {
            n
            for n, v in (("id", entry_id), ("text", text), ("file", file), ("content", content), ("insert", insert))
            if v
        }
        if given == {"id", "text"}:
            return self.writing.revise(entry_id, text, self.caller, base, project, source, evidence)
        if given == {"file", "content"}:
            return self.writing.rewrite(file, content, base, self.caller, project)
        if given == {"file", "insert"}:
            return self.writing.insert(file, insert, self.caller, base, project, source, evidence)
        forms = "Pass 'id' and 'text', or 'file' and 'content' and 'base', or 'file' and 'insert'."
        raise BadRequest(f"Got {', '.join(sorted(given)) or 'nothing'} to revise.", forms)

    def retract(self, entry_id: str, reason: str = "", project: str = "") -> Receipt:
        return self.writing.retract(entry_id, self.caller, reason, project)

    def register(self, slug: str, path: str, role: str = "", stack: str = "", status: str = "") -> Receipt:
        """Make a project known on this machine.

        Raises:
            BadName, BadRequest, OutOfScope: nothing was written.
        """
        if self.scope.pinned:
            self.scope.project(slug.strip())
        if not path.strip():
            raise BadRequest("'path' is missing.", "Pass the project's full path as 'path'.")
        root = Path(path).expanduser()
        remote = git_remote(root) if root.is_dir() else ""
        return registering.register(
            self.scope, Project(checked_slug(slug.strip()), root, remote), self.caller, role, stack, status
        )

    def create(self) -> bool:
        """Make the user store where there is none."""
        return self.scope.user.create()


def entry_record(
    store: Store, kind: str, name: str, file: str, entry: Any, state: str, now: datetime
) -> dict[str, Any]:
    """An entry as every door shows it."""
    from memshelf.domain.entry import instant

    at = instant(entry.attributes.get("at", ""))
    return {
        "id": entry.id,
        "address": f"{file}#{entry.id}",
        "kind": kind,
        "name": name,
        "store": store.scope,
        "project": "" if store.scope == "user" else store.label,
        "file": file,
        "line": entry.line,
        "text": shown(entry.text),
        "trust": entry.trust,
        "state": state,
        "source": shown(entry.attributes.get("src", "")),
        "created_at": entry.attributes.get("at", ""),
        "confidence": entry.confidence,
        "age_days": max(0, (now - at).days) if at else 0,
    }


def described(records: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Provenance and text of each record, for the envelope."""
    return [
        (
            f"{r['address']} · {r['kind']} · trust {r['trust']} · {r['state']}"
            + (f" · source {r['source']}" if r["source"] else "")
            + (f" · {r['created_at']}" if r["created_at"] else ""),
            r["text"],
        )
        for r in records
    ]
