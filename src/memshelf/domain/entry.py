"""What an entry is: its identity, its attributes and the life it is in. Knows nothing of files or markdown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from memshelf.domain.text import folded
from memshelf.errors import BadRequest

ID = re.compile(r"[0-9a-f]{12}")

TRUSTS = ("candidate", "derived", "external", "reported", "verified", "confirmed")
"""From least to most: staged; concluded by an agent; typed into the file; said by the person to an agent;
backed by evidence; confirmed by a person."""

REJECTED = "rejected"
"""The trust of what was found wrong: outside the order, and never recalled."""

AUTHORITY = {"candidate": 0, "derived": 1, "reported": 2, "verified": 3, "external": 4, "confirmed": 5}
"""Which of two contradicting texts replaces the other unasked: one of higher rank. What a person typed into the file
outranks what agents report."""

ENDS = ("superseded", "retracted", "expired", "archived")

KNOWN = (
    "at", "src", "trust", "conf", "from", "to", "exp", "sup", "ok", "applies", "ev", "tags", "aka", "conflict",
    "until", "end", "by", "why", "anchor", "apart", "unsupported",
)  # fmt: skip
"""Attributes with a meaning; others are kept as they are."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory as it stands in a file."""

    id: str
    text: str
    grain: str
    """bullet, paragraph, block (fence, quote, table, HTML), heading or file."""
    line: int
    """First line in the file, from 1."""
    headings: tuple[str, ...]
    """Titles above it, outermost first."""
    attributes: Mapping[str, str]
    stamped: bool
    """Whether the id stands in the file; else it is computed from path, text and occurrence."""

    @property
    def trust(self) -> str:
        """How far to believe it: what no tool stamped was typed by somebody and is `external`."""
        return self.attributes.get("trust") or ("derived" if self.stamped else "external")

    @property
    def confidence(self) -> float:
        """0..1; 1 where nothing says otherwise."""
        try:
            value = float(self.attributes.get("conf", "1"))
        except ValueError:
            return 1.0
        return min(1.0, max(0.0, value)) if value == value else 1.0  # NaN is no number

    @property
    def tags(self) -> tuple[str, ...]:
        return listed(self.attributes.get("tags", ""))

    @property
    def aliases(self) -> tuple[str, ...]:
        return listed(self.attributes.get("aka", ""))

    def state(self, now: datetime) -> str:
        """The life it is in at `now`: active, conflicted, expired, superseded, retracted or archived."""
        if end := self.attributes.get("end"):
            return end if end in ENDS else "archived"
        for key in ("exp", "to"):
            limit = instant(self.attributes.get(key, ""))
            if limit and limit <= now:
                return "expired"
        return "conflicted" if self.attributes.get("conflict") else "active"


def mint(path: str, text: str, occurrence: int) -> str:
    """The id of an entry that carries none: 12 hex of SHA-256 over path, folded text and its occurrence in the file.

    `path` begins with the store's kind (`user/`, `project/`), so that it is the same on every machine.
    """
    seed = "\0".join((path, folded(text), str(occurrence)))
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def listed(value: str) -> tuple[str, ...]:
    """A comma-separated attribute as its parts."""
    return tuple(part for part in value.split(",") if part)


def instant(value: str) -> datetime | None:
    """An attribute's time as an aware UTC datetime; None where it is absent or is no time."""
    if not value:
        return None
    try:
        parsed = datetime.fromisoformat(value)
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError):  # OverflowError: before year 1 or after 9999 once in UTC
        return None


def stamp(moment: datetime) -> str:
    """A moment as it is written: UTC, `Z`, with milliseconds unless they are 0, so that two writes in a second have an
    order."""
    utc = moment.astimezone(UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="milliseconds" if utc.microsecond >= 1000 else "seconds") + "Z"


def time_argument(value: str, what: str) -> str:
    """A caller's time (ISO 8601 date, or date and time with an offset) in the written form.

    A date is its first instant in UTC.

    Raises:
        BadRequest: it is no ISO 8601 time, or has a time of day without an offset.
    """
    remedy = f"Pass '{what}' as 2026-11-09 or 2026-11-09T07:51:02Z."
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
            return f"{date.fromisoformat(value).isoformat()}T00:00:00Z"
        parsed = datetime.fromisoformat(value)
    except ValueError:
        raise BadRequest(f"'{what}' is no time: {value!r}.", remedy) from None
    if parsed.tzinfo is None:
        raise BadRequest(f"'{what}' has no time zone: {value!r}.", remedy)
    try:
        return stamp(parsed)
    except OverflowError:
        raise BadRequest(f"'{what}' is out of range: {value!r}.", remedy) from None
