"""What ended: its last text, kept under the same id in `.archive/<same path>`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memshelf.domain.entry import Entry, stamp
from memshelf.domain.kinds import Kind
from memshelf.errors import BadRequest
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.marker import Marker
from memshelf.store.store import Store


@dataclass(frozen=True, slots=True)
class Ending:
    """A text that ends, with the marker that it is kept under."""

    text: str
    marker: Marker


def ended(document: Document, index: int, end: str, now: datetime, by: str = "", reason: str = "") -> Ending:
    """How an entry is kept: a whole file as its raw text, anything else as its own text."""
    entry = document.entries[index]
    if entry.grain == "file":
        text = "".join(document.lines[document.first :]).replace("\r\n", "\n").strip()
    else:
        text = entry.text
    return _ending(entry, text, document.markers[index], end, now, by, reason)


def left_out(entry: Entry, end: str, now: datetime, reason: str = "") -> Ending:
    """The same for an entry that a whole-file write leaves out."""
    return _ending(entry, entry.text, None, end, now, "", reason)


def leaves_none(kind: Kind) -> bool:
    """Whether what entries of a kind said before is not kept: working papers, rewritten all the time."""
    return kind.drawer == "working" and kind.mutability == "rewrite"


def annotated(ending: Ending, words: Mapping[str, str]) -> Ending:
    """The ending with further attributes set."""
    return Ending(ending.text, ending.marker.updated(words))


def _ending(entry: Entry, text: str, marker: Marker | None, end: str, now: datetime, by: str, reason: str) -> Ending:
    kept = Marker(entry.id, entry.attributes, marker.foreign if marker else ())
    words = {"until": stamp(now), "end": end, "by": by, "why": " ".join(reason.split())}
    if not entry.stamped:
        words["trust"] = entry.trust
    return Ending(text, kept.updated(words))


def appended(document: Document | None, ending: Ending, store: Store, archive: str) -> bytes:
    """The archive file with one more ended text. Raises: BadRequest: no way to write it keeps it as it is."""
    base = document or store.parse(archive, b"")
    fence = "`" * 4
    while fence in ending.text:
        fence += "`"
    for text in (ending.text, f"{fence}\n{ending.text}\n{fence}"):
        try:
            return amend.add(base, text, ending.marker)
        except BadRequest:
            continue
    raise BadRequest("This text cannot be kept in the archive.", "Change it by hand in the file.")
