"""What a kind allows: required fields, size, rewording, ending, and the trust that a channel may give. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from memshelf.domain.kinds import Kind
from memshelf.domain.layout import Place
from memshelf.errors import CapReached, EvidenceMissing, Frozen, LessonMissing

_LOCATOR = re.compile(
    r"[a-z][a-z0-9+.-]*://\S|\b[\w-]+\.[a-z]{2,}\b|(?:^|\s)[\w.~-]*/[\w./-]+|\b\d{4}-\d{2}-\d{2}\b", re.I
)
_LESSON = re.compile(r"^\W*lesson\b|^#+\s*lesson\b", re.I | re.M)


def check_required(kind: Kind, text: str, attributes: Mapping[str, str]) -> None:
    """
    Raises:
        EvidenceMissing, LessonMissing: the kind needs what the draft does not bring.
    """
    if "evidence" in kind.needs and not attributes.get("ev"):
        raise EvidenceMissing(
            f"Kind {kind.name!r} needs evidence: what happened that taught it.",
            "Pass 'evidence' (a path, a commit, a run, a URL).",
        )
    if "locator" in kind.needs and not (_LOCATOR.search(text) or _LOCATOR.search(attributes.get("src", ""))):
        raise EvidenceMissing(
            f"Kind {kind.name!r} needs a locator: where the source is found.",
            "Put a URL or path into 'text' or pass it as 'source'.",
        )
    if "lesson" in kind.needs and not _LESSON.search(text):
        raise LessonMissing(
            f"Kind {kind.name!r} needs a lesson: no lesson, no store.", "Give 'text' a line that starts with 'Lesson:'."
        )


def check_size(kind: Kind, lines: int, text: str) -> None:
    """`lines`: how many the file has besides `text`.

    Raises:
        CapReached: the file would be longer than its kind allows; nothing is cut off.
    """
    cap = kind.caps.get("lines")
    need = lines + (text.count("\n") + 1 if text else 0)
    if cap and need > cap:
        raise CapReached(
            f"A file of kind {kind.name!r} holds at most {cap} lines; this one would have {need}.",
            "Shorten it, or split it under another name.",
        )


def check_reword(kind: Kind, place: Place, address: str, newest: int | None, now: datetime) -> None:
    """Whether entries of this kind, at this place, may be given other words.

    Raises:
        Frozen: they may not; the message says what to do instead.
    """
    if kind.mutability == "frozen":
        raise Frozen(
            f"{address} is frozen: kind {kind.name!r} is not reworded.", "Add a new one; a person may delete this one."
        )
    if kind.mutability == "inbox":
        raise Frozen(
            f"{address} stands in an inbox: kind {kind.name!r} is filed or discarded, not reworded.",
            "Call add_memory where it belongs, then delete_memory with this id.",
        )
    if place.state and place.state in kind.frozen_states:
        raise Frozen(f"{address} is {place.state} and frozen.", f"Add a new {kind.name}.")
    if kind.then == "freeze" and kind.grain == "heading":
        raise Frozen(
            f"{address} is a log entry: what was logged stays.", "Log a correction; delete_memory takes an entry back."
        )
    if kind.then == "freeze" and place.number is not None and newest is not None and place.number < newest:
        raise Frozen(
            f"{address} is number {place.number}; number {newest} is current and older ones are frozen.",
            f"Revise number {newest}, or add a new {kind.name}.",
        )
    if kind.then == "freeze" and place.date and place.date != f"{now:%Y-%m-%d}":
        raise Frozen(
            f"{address} is the {kind.name} of {place.date}; only today's is open.", f"Add today's {kind.name}."
        )


def check_end(kind: Kind, channel: str, address: str) -> None:
    """
    Raises:
        Frozen: only a person ends entries of this kind.
    """
    if kind.mutability == "frozen" and channel != "person":
        raise Frozen(
            f"{address} is frozen: only a person takes a {kind.name} away.", "Ask the person to run `memshelf delete`."
        )


def trust(kind: Kind, channel: str, source: str, evidence: str) -> str:
    """The trust that the channel may give: a person confirms, an agent at most reports or verifies."""
    if kind.trust:
        return kind.trust
    if channel == "person":
        return "confirmed"
    if evidence:
        return "verified"
    return "reported" if source == "user" else "derived"
