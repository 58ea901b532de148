"""Two clocks: when something was recorded here, and when it holds in the world. Pure; times are aware UTC.

Recorded time runs from `at` to `until` (in the archive), valid time from `from` to `to`. A text that was superseded by
one that holds only from V on is not wrong for the time before V: it stays believed with V as its end of validity.
Source of the two-clock model: Snodgrass, Developing Time-Oriented Database Applications in SQL (1999), chapter 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memshelf.domain.entry import instant
from memshelf.errors import BadRequest


@dataclass(frozen=True, slots=True)
class View:
    """A question to both clocks: what was recorded by `as_of` about what holds at `valid_at`."""

    as_of: datetime
    valid_at: datetime


def view(as_of: str, valid_at: str, now: datetime) -> View | None:
    """The view that a caller asks for, None where both are empty.

    `as_of` alone asks for what was believed then about that same moment; `valid_at` alone for what is believed now.

    Raises:
        BadRequest: no ISO 8601 time, or a time of day without an offset.
    """
    if not as_of and not valid_at:
        return None
    recorded = moment(as_of, "as_of") if as_of else now
    return View(recorded, moment(valid_at, "valid_at") if valid_at else recorded)


def moment(value: str, what: str) -> datetime:
    """A caller's time, to the microsecond; a date is its first instant in UTC.

    Raises:
        BadRequest: no ISO 8601 time, or a time of day without an offset.
    """
    remedy = f"Pass '{what}' as 2026-11-09 or 2026-11-09T07:51:02Z."
    try:
        parsed = datetime.fromisoformat(value.strip())
    except ValueError:
        raise BadRequest(f"'{what}' is no time: {value[:60]!r}.", remedy) from None
    if parsed.tzinfo is None and len(value.strip()) > 10:
        raise BadRequest(f"'{what}' has no time zone: {value[:60]!r}.", remedy)
    try:
        found = instant(value.strip())
    except OverflowError:
        found = None
    if found is None:
        raise BadRequest(f"'{what}' is out of range: {value[:60]!r}.", remedy)
    return found


def believed(attributes: Mapping[str, str], asked: View, bound: datetime | None = None) -> bool:
    """Whether a text was believed, in a view. `bound`: from when on its successor holds, where it has one that says so.

    What carries no `at` was there from the beginning; `exp` ends what is recalled as `to` ends what holds.
    """
    at, until = instant(attributes.get("at", "")), instant(attributes.get("until", ""))
    if at and at > asked.as_of:
        return False
    ended = until is not None and until <= asked.as_of
    if ended and (bound is None or asked.valid_at >= bound):
        return False
    if (start := instant(attributes.get("from", ""))) and asked.valid_at < start:
        return False
    return not any((end := instant(attributes.get(key, ""))) and asked.valid_at >= end for key in ("to", "exp"))
