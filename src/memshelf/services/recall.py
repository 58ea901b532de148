"""What is recalled: search, one entry, one file, the past. Reads under a scope and shapes records; writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memshelf.domain.kinds import load
from memshelf.domain.text import shown
from memshelf.domain.timeline import View, moment, view
from memshelf.errors import BadRequest
from memshelf.search.envelope import inline
from memshelf.search.scan import INCLUDES, Answer, Match, Query, Truth, scan
from memshelf.services import catalog, history
from memshelf.services.addressing import Located, Sightings, in_reach
from memshelf.services.record import record
from memshelf.services.rejected import rejections
from memshelf.services.scope import Scope
from memshelf.store.store import Store

MOST_HITS = 100
ANSWER_CHARACTERS = 24_000
"""Ceiling of the texts in one answer; what it leaves out is counted in `dropped`."""
TEXT_CHARACTERS = 4_000
"""Ceiling of one hit's text; a longer one ends in a note of how to read the rest."""


@dataclass(slots=True)
class Recall:
    """Reads the stores of one scope."""

    scope: Scope
    sightings: Sightings
    clock: Callable[[], datetime]

    def search(self, query: Query, project: str = "", as_of: str = "", valid_at: str = "") -> dict[str, Any]:
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
        query = replace(query, kinds=tuple(load().named(kind).name for kind in query.kinds))
        now = self.clock()
        asked = view(as_of, valid_at, now)
        stores = self.scope.reading(project)
        answer = scan(stores, query, self._truth(stores, now, asked))
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

    def _truth(self, stores: Sequence[Store], now: datetime, asked: View | None) -> Truth:
        if asked is not None:
            return Truth(now, asked, history.bounds(stores))
        no = rejections(stores)
        return Truth(now, rejected=lambda entry: no.of(entry) is not None)

    def _hits(self, answer: Answer) -> tuple[list[dict[str, Any]], int]:
        hits: list[dict[str, Any]] = []
        size, dropped = 0, answer.dropped
        for match in answer.matches:
            hit = self._hit(match)
            size += len(hit["text"])
            if size > ANSWER_CHARACTERS and hits:
                dropped += 1
                continue
            self.sightings.saw(match.entry.id, match.store.label, match.entry.text)
            hits.append(hit)
        return hits, dropped

    def _hit(self, match: Match) -> dict[str, Any]:
        entry, read, store = match.entry, match.read, match.store
        text = entry.text
        if entry.grain == "file":
            text = "".join(read.document.lines[read.document.first :]).strip()
        if len(text) > TEXT_CHARACTERS:
            more, file = len(text) - TEXT_CHARACTERS, store.address(read.place.path)
            text = f"{text[:TEXT_CHARACTERS]}… ({more} more characters: get_project_memories(file={file!r}))"
        index = next(i for i, one in enumerate(read.document.entries) if one is entry)
        hit = record(Located(store, read, index), self.clock(), match.state)
        hit |= {"text": shown(text), "score": match.score, "arms": list(match.arms)}
        return hit | ({"file_id": match.file_id} if match.file_id and entry.grain != "file" else {})

    def files(self, project: str = "", kind: str = "") -> dict[str, Any]:
        """{project, files: [{file, kind, name, one_liner, entries, updated}], note}."""
        stores = self.scope.reading(project)
        rows, trouble = catalog.files(stores, kind)
        note = inline("; ".join(f"{t.path}: {t.why}" for t in trouble[:20]))
        return {"project": stores[0].label, "files": rows, "note": note}

    def file(self, file: str, project: str = "") -> dict[str, Any]:
        """{file, etag, kind, entries: [...], content}."""
        store, read = catalog.one_file(in_reach(self.scope, file, project, self.sightings), file)
        now = self.clock()
        entries = [record(Located(store, read, i), now) for i in range(len(read.document.entries))]
        for entry in read.document.entries:
            self.sightings.saw(entry.id, store.label, entry.text)
        content = read.document.data.decode("utf-8", "replace")
        address = store.address(read.place.path)
        return {"file": address, "etag": read.etag, "kind": read.place.kind, "entries": entries, "content": content}

    def history(
        self, project: str = "", since: str = "", address: str = "", as_of: str = "", valid_at: str = "",
        query: str = "", limit: int = 50,
    ) -> dict[str, Any]:  # fmt: skip
        """One of: `since` → {changes}; `address` → {lineage}; `as_of` or `valid_at` → {hits}, narrowed by `query`.

        Raises:
            BadRequest: none or several of them, or no time; NotFound, OutOfScope.
        """
        given = [name for name, value in (("since", since), ("id", address), ("as_of", as_of or valid_at)) if value]
        if len(given) != 1:
            raise BadRequest(
                f"Got {' and '.join(given) or 'nothing'} to look back by.",
                "Pass 'since', or 'id', or 'as_of' and 'valid_at' (with 'query').",
            )
        now = self.clock()
        if since:
            return {
                "changes": [
                    _neutral(row) for row in history.changes(self.scope.reading(project), moment(since, "since"))
                ]
            }
        if address:
            stores = in_reach(self.scope, address, project, self.sightings)
            return {"lineage": [_neutral(row) for row in history.lineage(stores, address, now)]}
        if query.strip():
            found = self.search(Query(query, limit=limit), project, as_of, valid_at)
            return {"hits": found["hits"], "note": found["note"], "dropped": found["dropped"]}
        asked = view(as_of, valid_at, now)
        assert asked is not None
        return self._believed(self.scope.reading(project), asked, limit, now)

    def _believed(self, stores: Sequence[Store], asked: View, limit: int, now: datetime) -> dict[str, Any]:
        hits, total = [], 0
        for found in history.believed_then(stores, asked):
            total += 1
            if len(hits) < limit:
                hits.append(record(found, now))
        return {"hits": hits, "note": "", "dropped": total - len(hits)}


def _neutral(row: dict[str, Any]) -> dict[str, Any]:
    return {key: shown(value) if isinstance(value, str) else value for key, value in row.items()}
