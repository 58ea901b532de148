"""How age and use weigh. Pure numbers that rank and label; they never hide, change or delete an entry."""

from __future__ import annotations

import math
from datetime import datetime

from memshelf.domain.entry import Entry, instant
from memshelf.domain.kinds import Kind

DAILY = 0.95
"""Share of confidence that is left after a day without confirmation: geometric decay, half in 13.5 days."""
COOLING = 0.03
"""Rate of the exponential in `recency`, a day: half in 23 days (Ebbinghaus' forgetting curve)."""
FADING = ("derived", "reported")
"""Trusts whose confidence falls; what was typed, verified or confirmed keeps it."""
MANY = 10
"""References from which an entry counts as fully referenced."""


def days_between(earlier: datetime, later: datetime) -> float:
    """Days, never below 0: a clock set back makes nothing younger than new."""
    return max(0.0, (later - earlier).total_seconds() / 86_400)


def effective_confidence(entry: Entry, kind: Kind, now: datetime) -> float:
    """0..1: confidence x 0.95^(days since it was last confirmed or recorded), for derived and reported entries of kinds
    that decay; the plain confidence for all others, and where no time is known."""
    if not kind.decays or entry.trust not in FADING:
        return entry.confidence
    since = instant(entry.attributes.get("ok", "")) or instant(entry.attributes.get("at", ""))
    return entry.confidence * DAILY ** days_between(since, now) if since else entry.confidence


def recency(days: float) -> float:
    """0..1: exp(-0.03 days)."""
    return math.exp(-COOLING * max(0.0, days))


def temperature(days: float, references: int, priority: float) -> float:
    """0..1: 0.5 recency + 0.3 references (full from 10 on) + 0.2 priority (0..1)."""
    used = min(1.0, max(0, references) / MANY)
    return 0.5 * recency(days) + 0.3 * used + 0.2 * min(1.0, max(0.0, priority))
