"""What was: changes since a time, the lineage of an entry both ways. Reads files, archive and journals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memshelf.domain.entry import Entry, instant, listed
from memshelf.domain.kinds import load
from memshelf.domain.timeline import View, believed
from memshelf.errors import NotFound
from memshelf.services.addressing import Located
from memshelf.store.store import Store, split_address

MOST = 500
"""Changes in one answer, the newest."""
_DERIVED = ("added", "updated", "conflict", "revised", "superseded", "retracted", "archived", "expired", "rejected")
"""Operations that files and archive show by themselves."""


@dataclass(frozen=True, slots=True)
class Version:
    """One text of one id and the recorded time in which it stood; `until` empty: it stands."""

    store: Store
    path: str
    entry: Entry

    @property
    def id(self) -> str:
        return self.entry.id

    @property
    def at(self) -> str:
        return self.entry.attributes.get("at", "")

    @property
    def until(self) -> str:
        return self.entry.attributes.get("until", "")


def versions(stores: Sequence[Store]) -> Iterator[Version]:
    """Every text there is and, as far as tools ended it, was."""
    for store in stores:
        for archived in (True, False):
            for read in store.every(archived=archived):
                for entry in read.document.entries:
                    yield Version(store, read.place.path, entry)


def changes(stores: Sequence[Store], since: datetime) -> list[dict[str, Any]]:
    """What happened since, oldest first: {at, op, id, kind, text?, by?, channel?}.

    Texts come from files and archive alone: what was forgotten, or taken out by hand, has none.
    """
    rows: list[dict[str, Any]] = []
    texts: dict[str, str] = {}
    kinds: dict[str, str] = {}
    everything = list(versions(stores))
    reworded = {(v.id, v.until) for v in everything if v.until and v.entry.attributes.get("by") == v.id}
    for version in everything:
        entry, kind = version.entry, version.store.place(version.path).kind
        texts[entry.id], kinds[entry.id] = entry.text, kind
        at, until = instant(version.at), instant(version.until)
        shown = {"id": entry.id, "kind": kind, "text": entry.text}
        if at and at >= since:
            op = (
                "revised" if (entry.id, version.at) in reworded else "updated" if "sup" in entry.attributes else "added"
            )
            rows.append({"at": version.at, "op": op, **shown} | _given("by", entry.attributes.get("sup", "")))
        by = entry.attributes.get("by", "")
        if until and until >= since and by != entry.id:
            end = "rejected" if entry.trust == "rejected" else entry.attributes.get("end", "archived")
            rows.append({"at": version.until, "op": end, **shown} | _given("by", by))
    seen = {(row["id"], row["at"]) for row in rows}
    for store in stores:
        for record in store.journal.records():
            at, entry_id = str(record.get("at", "")), str(record.get("id", ""))
            moment = instant(at)
            if moment is None or moment < since or record["op"] == "refused":
                continue
            if record["op"] in _DERIVED and (not entry_id or (entry_id, at) in seen):
                continue
            row = {"at": at, "op": record["op"], "id": entry_id, "kind": record.get("kind") or kinds.get(entry_id, "")}
            row |= _given("text", texts.get(entry_id, "")) | _given("by", record.get("by", ""))
            rows.append(row | {"channel": record.get("channel", "")})
    rows.sort(key=lambda row: (instant(row["at"]) or since, row["op"] != "superseded"))
    return rows[-MOST:]


def lineage(stores: Sequence[Store], address: str, now: datetime) -> list[dict[str, Any]]:
    """Every version of an entry, of what it replaced and of what replaced it, oldest first.

    {id, text, at, until, state, by?, sup?, kind, address, why?}; intervals are recorded time.

    Raises:
        NotFound: the id was never seen in scope.
    """
    _, _, wanted = split_address(address)
    everything = list(versions(stores))
    links: dict[str, set[str]] = {}
    for version in everything:
        for key in ("sup", "by"):
            for other in listed(version.entry.attributes.get(key, "")):
                links.setdefault(version.id, set()).add(other)
                links.setdefault(other, set()).add(version.id)
    family, left = set[str](), [wanted]
    while left:
        one = left.pop()
        if one not in family:
            family.add(one)
            left += links.get(one, set())
    found = [version for version in everything if version.id in family]
    if not found:
        raise NotFound(f"{address!r} was never seen in scope.", "Call search_memory with include=['archived'].")
    found.sort(key=lambda v: (instant(v.at) or datetime.min.replace(tzinfo=now.tzinfo), v.until or "~"))
    return [
        {
            "id": v.id, "text": v.entry.text, "at": v.at, "until": v.until, "state": v.entry.state(now),
            "kind": v.store.place(v.path).kind, "address": v.store.address(v.path, v.id), "trust": v.entry.trust,
        }
        | _given("by", v.entry.attributes.get("by", "")) | _given("sup", v.entry.attributes.get("sup", ""))
        | _given("why", v.entry.attributes.get("why", "")) | _given("from", v.entry.attributes.get("from", ""))
        | _given("to", v.entry.attributes.get("to", ""))
        for v in found
    ]  # fmt: skip


def bounds(stores: Sequence[Store]) -> dict[str, str]:
    """For each superseded id whose successor holds only from some time on: that time. See `domain.timeline`."""
    starts = {v.id: v.entry.attributes["from"] for v in versions(stores) if v.entry.attributes.get("from")}
    return {
        v.id: starts[by]
        for v in versions(stores)
        if v.until and (by := v.entry.attributes.get("by", "")) in starts and by != v.id
    }


def _given(key: str, value: Any) -> dict[str, Any]:
    return {key: value} if value else {}


def believed_then(stores: Sequence[Store], asked: View) -> Iterator[Located]:
    """Every text that was believed, in a view, but candidates and what is kept out of search."""
    ends = bounds(stores)
    for store in stores:
        for archived in (False, True):
            for read in store.every(archived=archived):
                if not load()[read.place.kind].in_search:
                    continue
                for i, entry in enumerate(read.document.entries):
                    bound = instant(ends.get(entry.id, "")) if entry.attributes.get("by") != entry.id else None
                    if entry.trust != "candidate" and believed(entry.attributes, asked, bound):
                        yield Located(store, read, i)
