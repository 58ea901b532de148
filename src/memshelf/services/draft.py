"""What somebody wants remembered, who that is, and the attributes that follow from both. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from memshelf.domain.entry import stamp, time_argument
from memshelf.domain.kinds import Kind
from memshelf.domain.text import clean_line
from memshelf.errors import BadRequest
from memshelf.format.marker import join
from memshelf.services import rules


@dataclass(frozen=True, slots=True)
class Caller:
    """Who writes, when, and where new ids come from."""

    channel: str
    """`agent` (over MCP) or `person` (at the terminal); trust comes from it, whatever the payload says."""
    now: datetime
    new_id: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wants remembered; strings as given."""

    text: str
    kind: str
    name: str = ""
    project: str = ""
    collection: str = ""
    source: str = ""
    evidence: str = ""
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    applies: str = ""
    valid_from: str = ""
    valid_to: str = ""
    expires_at: str = ""
    supersedes: str = ""
    store: str = ""
    allow: tuple[str, ...] = ()
    """Rules of the gate that the caller says do not apply to this text."""


def attributes(draft: Draft, kind: Kind, caller: Caller) -> dict[str, str]:
    """The marker's attributes for a draft, only what is not the default.

    Raises:
        BadRequest: a time, a confidence or an interval will not do.
    """
    if draft.confidence is not None and not 0 <= draft.confidence <= 1:
        raise BadRequest(f"'confidence' is {draft.confidence}, not within 0 and 1.", "Pass a number from 0 to 1.")
    line = {
        what: clean_line(value, what) if value else ""
        for what, value in (("source", draft.source), ("evidence", draft.evidence), ("applies", draft.applies))
    }
    times = {
        what: time_argument(value, what) if value else ""
        for what, value in (
            ("valid_from", draft.valid_from),
            ("valid_to", draft.valid_to),
            ("expires_at", draft.expires_at),
        )
    }
    if times["valid_from"] and times["valid_to"] and times["valid_to"] <= times["valid_from"]:
        raise BadRequest("'valid_to' is not after 'valid_from'.", "Pass a later 'valid_to', or leave it out.")
    trust = rules.trust(kind, caller.channel, line["source"], line["evidence"])
    conf = "" if draft.confidence in (None, 1, 1.0) else f"{draft.confidence:g}"
    words = {
        "at": stamp(caller.now),
        "src": line["source"] or ("user" if caller.channel == "person" else ""),
        "trust": "" if trust == "derived" else trust,
        "conf": conf,
        "from": times["valid_from"],
        "to": times["valid_to"],
        "exp": times["expires_at"],
        "sup": draft.supersedes.rpartition("#")[2],
        "applies": line["applies"],
        "ev": line["evidence"],
        "tags": join([clean_line(tag, "tags") for tag in draft.tags]),
        "aka": join([clean_line(word, "aliases") for word in draft.aliases]),
    }
    return {key: value for key, value in words.items() if value}
