"""An entry as every door shows it: its words, where it stands, how far to believe it, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memshelf.domain.entry import instant
from memshelf.domain.text import shown
from memshelf.services import anchors
from memshelf.services.addressing import Located


def record(found: Located, now: datetime, state: str = "") -> dict[str, Any]:
    """{id, address, kind, name, store, project, file, line, text, trust, state, source, created_at, confidence,
    age_days, labels}; `state` overrides what the entry says of itself."""
    entry, store, place = found.entry, found.store, found.read.place
    at = instant(entry.attributes.get("at", ""))
    file = store.address(place.path)
    return {
        "id": entry.id,
        "address": f"{file}#{entry.id}",
        "kind": place.kind,
        "name": place.name,
        "store": store.scope,
        "project": "" if store.scope == "user" else store.label,
        "file": file,
        "line": entry.line,
        "text": shown(entry.text),
        "trust": entry.trust,
        "state": state or entry.state(now),
        "source": shown(entry.attributes.get("src", "")),
        "created_at": entry.attributes.get("at", ""),
        "confidence": entry.confidence,
        "age_days": max(0, (now - at).days) if at else 0,
        "labels": labels(found),
    }


def labels(found: Located) -> list[str]:
    """What a reader should know before believing an entry: contradicted by another, its evidence changed or gone, what
    it rested on forgotten."""
    attributes = found.entry.attributes
    out = [f"conflict:{other}" for other in filter(None, attributes.get("conflict", "").split(","))]
    out += ["unsupported"] if "unsupported" in attributes else []
    return [shown(label) for label in (*out, *anchors.changed(attributes, anchors.repository(found.store)))]


def described(records: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Provenance and text of each record, for the envelope."""
    return [(_provenance(row), row["text"]) for row in records]


def _provenance(row: Mapping[str, Any]) -> str:
    parts = [row["address"], row["kind"], f"trust {row['trust']}", row["state"]]
    parts += [f"source {row['source']}"] if row["source"] else []
    parts += [row["created_at"]] if row["created_at"] else []
    return " · ".join([*parts, *row["labels"]])
