"""Where a draft goes: the file that its kind, name and collection say. Chooses; writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memshelf.domain import names
from memshelf.domain.kinds import Kind, load
from memshelf.domain.layout import path_for
from memshelf.errors import BadName, BadRequest, CapReached, NotFound, OutOfScope
from memshelf.store.store import Store


@dataclass(frozen=True, slots=True)
class Spot:
    """A path in a store, and why it is that one."""

    path: str
    why: str
    number: int | None = None


def choose(store: Store, kind: Kind, name: str, collection: str, now: datetime) -> Spot:
    """The file for a new entry: an existing one whose name slugs alike, else the canonical path; numbers count up.

    Raises:
        BadName, BadRequest: name or collection is missing or will not do, and which there are.
    """
    fields = set(kind.placeholders)
    stem = _stem(kind, name) if "name" in fields else ""
    folder = _folder(store, kind, collection, fields)
    number = (newest(store, kind) or 0) + 1 if "number" in fields else None
    path = path_for(
        store.scope, kind.name, stem, collection=folder, state=kind.states[0] if kind.states else "",
        number=number, date=f"{now:%Y-%m-%d}" if "date" in fields else "",
    )  # fmt: skip
    if number is not None:
        return Spot(path, f"the next free number in its series is {number:03d}", number)
    existing = _alike(store, path) or _read_alias(store, kind, stem)
    return Spot(existing or path, f"its path is {existing or path}")


def check_active(store: Store, kind: Kind, path: str) -> None:
    """
    Raises:
        CapReached: as many files of the kind are there as may be at a time; it shows them, and none is taken away.
    """
    cap = kind.caps.get("active")
    if not cap:
        return
    there = [other for other in store.paths() if other != path and store.place(other).kind == kind.name]
    if len(there) >= cap:
        listing = ", ".join(store.address(other) for other in there[:10])
        raise CapReached(
            f"At most {cap} of kind {kind.name!r} may be active in {store.label!r}, and there are: {listing}.",
            "Revise one of those with revise_memory, or delete one with delete_memory first.",
        )


def title(kind: Kind, name: str, spot: Spot) -> str:
    """The H1 of a new file: the name as given, with capitals where it was a slug; a log's is its date."""
    if kind.grain == "heading":
        return spot.path.rpartition("/")[2].removesuffix(".md")
    words = " ".join(name.split()) or spot.path.rpartition("/")[2].removesuffix(".md")
    return words if words != words.lower() or not words.isascii() else words.replace("-", " ").capitalize()


def newest(store: Store, kind: Kind) -> int | None:
    """The highest number ever used in the kind's series, in files or journals; None where it has none."""
    if "{number}" not in kind.path:
        return None
    series = {row.name for row in load().values() if row.series and row.series == kind.series} | {kind.name}
    series |= {kind.series} - {""}
    used = [
        place.number
        for archived in (False, True)
        for path in store.paths(archived=archived)
        if (place := store.place(path)).kind in series and place.number is not None
    ]
    used += [n for record in store.journal.records() if record.get("series") in series and (n := record.get("n"))]
    return max(used, default=None)


def existing(stores: Sequence[Store], file: str) -> tuple[Store, str]:
    """The store and path behind `user/notes/x.md` or `SLUG/facts/x.md`.

    Raises:
        BadName: the path would escape; OutOfScope: another store's; NotFound: no such file.
    """
    address = file.strip().partition("#")[0]
    label, _, path = address.partition("/")
    store = next((store for store in stores if store.label == label), None)
    if store is None:
        labels = ", ".join(store.label for store in stores)
        raise OutOfScope(
            f"'file' {file!r} begins with none of the stores in scope: {labels}.",
            "Pass 'file' as get_project_memories lists it.",
        )
    if store.read(path) is None:
        raise NotFound(f"'file' {file!r} does not exist.", "Call get_project_memories for the files there are.")
    return store, path


def _stem(kind: Kind, name: str) -> str:
    if not name.strip():
        raise BadName(f"'name' is missing: kind {kind.name!r} is filed as {kind.path}.", "Pass the topic as 'name'.")
    return names.slug(name)


def _folder(store: Store, kind: Kind, collection: str, fields: set[str]) -> str:
    if not fields & {"collection", "class"}:
        if collection.strip():
            raise BadRequest(f"'collection' is not for kind {kind.name!r}.", "Leave it out, or choose kind 'note'.")
        return ""
    if not collection.strip():
        there = sorted(
            {p.collection for path in store.paths() if (p := store.place(path)).kind == kind.name and p.collection}
        )
        known = (
            f"there are {', '.join(there)}"
            if there
            else f"such as {', '.join(kind.guides)}"
            if kind.guides
            else "one word for its class"
        )
        raise BadRequest(
            f"'collection' is missing: kind {kind.name!r} is filed as {kind.path}.", f"Pass 'collection' ({known})."
        )
    return names.slug(collection, "collection")


def _alike(store: Store, path: str) -> str:
    folder, _, file = path.rpartition("/")
    here = store.root / folder
    if not here.is_dir() or (here / file).exists():
        return ""
    for item in sorted(here.iterdir(), key=lambda item: item.name):
        if (
            item.name.endswith(".md")
            and not item.name.startswith(".")
            and names.same(item.stem, file.removesuffix(".md"))
        ):
            found = f"{folder}/{item.name}" if folder else item.name
            if store.place(found).kind == store.place(path).kind:
                return found
    return ""


def _read_alias(store: Store, kind: Kind, stem: str) -> str:
    if not stem or (store.root / kind.path.replace("{name}", stem)).exists():
        return ""
    for pattern in kind.reads:
        if "{name}" in pattern and pattern.count("{") == 1:
            path = pattern.replace("{name}", stem)
            if (store.root / path).is_file() and store.place(path).kind == kind.name:
                return path
    return ""
