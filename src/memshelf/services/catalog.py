"""What there is: projects, files with their one-liners, one file with its entries. Reads; writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memshelf.domain.entry import instant, stamp
from memshelf.domain.kinds import load
from memshelf.format.document import problems
from memshelf.gate.secrets import findings
from memshelf.services.addressing import Located
from memshelf.services.destination import existing
from memshelf.services.record import labels
from memshelf.services.rejected import KIND, Rejections, rejections
from memshelf.services.scope import Scope
from memshelf.store.store import Read, Store, Trouble


def files(stores: Sequence[Store], kind: str = "") -> tuple[list[dict[str, Any]], list[Trouble]]:
    """A row a file: file, kind, name, one_liner, entries, updated; and what could not be read."""
    wanted = load().named(kind).name if kind else ""
    trouble: list[Trouble] = []
    rows = [
        _row(store, read)
        for store in stores
        for read in store.every(trouble)
        if not wanted or read.place.kind == wanted
    ]
    return rows, trouble


def one_file(stores: Sequence[Store], file: str) -> tuple[Store, Read]:
    """The store and the parsed file behind an address.

    Raises:
        OutOfScope, NotFound, BadName, Unreadable.
    """
    store, path = existing(stores, file)
    read = store.read(path)
    assert read is not None
    return store, read


def projects(scope: Scope) -> list[dict[str, Any]]:
    """Every registered project: slug, path, remote, whether its folder and store are there, whether it is bound."""
    bound = scope.bound.slug if scope.bound else ""
    rows = dict(scope.registry.all())
    if scope.bound and scope.bound.slug not in rows:
        rows[scope.bound.slug] = scope.bound
    return [
        {
            "slug": name, "path": str(project.root), "remote": project.remote, "registered": project.registered,
            "store": project.store.is_dir(), "bound": name == bound,
        }
        for name, project in sorted(rows.items())
    ]  # fmt: skip


def health(stores: Sequence[Store], now: datetime) -> dict[str, Any]:
    """Counts, and everything a person should look at: files that cannot be read or belong elsewhere, ids that are
    malformed or stand twice, evidence that changed, conflicts, values that stand though they were rejected, secrets,
    and entries that somebody's save took away."""
    found: list[dict[str, str]] = []
    counts = {"files": 0, "entries": 0, "unstamped": 0, "unfiled": 0}
    for store in stores:
        trouble: list[Trouble] = []
        no = rejections(stores)
        places: dict[str, list[str]] = {}
        for read in store.every(trouble):
            counts["files"] += 1
            document = read.document
            found += review(store, read, no, now)
            counts["entries"] += sum(e.grain != "file" for e in document.entries)
            counts["unstamped"] += sum(
                e.trust == "external" and not e.stamped and e.grain != "file" for e in document.entries
            )
            address = store.address(read.place.path)
            if read.place.kind == "unfiled" and document.entries:
                counts["unfiled"] += 1
            found += [{"where": f"{address}:{p.line}", "what": p.what} for p in problems(document)]
            for entry in document.entries:
                if entry.stamped:
                    places.setdefault(entry.id, []).append(f"{address}:{entry.line}")
        found += [{"where": store.address(t.path), "what": t.why} for t in trouble]
        for entry_id, where in places.items():
            if len({place.rpartition(":")[0] for place in where}) > 1:
                found.append({"where": where[0], "what": f"id {entry_id} stands in several files: {', '.join(where)}"})
    return {**counts, "problems": found}


def review(store: Store, read: Read, no: Rejections, now: datetime) -> list[dict[str, str]]:
    """What is doubtful about the entries of one file."""
    found: list[dict[str, str]] = []
    for i, entry in enumerate(read.document.entries):
        where = store.address(read.place.path, entry.id)
        said = [*labels(Located(store, read, i))]
        if read.place.kind != KIND and entry.grain != "file" and (value := no.of(entry)):
            said.append(f"says a rejected value (key {value.row.key}); it is not recalled")
        said += [
            f"looks like a secret ({rule}); forget it here" for rule in sorted({f.rule for f in findings(entry.text)})
        ]
        if entry.state(now) == "expired":
            continue
        found += [{"where": where, "what": what} for what in said]
    return found


def _row(store: Store, read: Read) -> dict[str, Any]:
    times = [at for entry in read.document.entries if (at := instant(entry.attributes.get("at", "")))]
    return {
        "file": store.address(read.place.path),
        "kind": read.place.kind,
        "name": read.place.name,
        "one_liner": read.document.one_liner[:160],
        "entries": sum(entry.grain != "file" for entry in read.document.entries),
        "updated": stamp(max(times)) if times else "",
    }
