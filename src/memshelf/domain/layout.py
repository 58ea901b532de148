"""Between a path and its place: store, kind, name, state, number. Knows the patterns of the table; touches no disk."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date as calendar_date
from functools import cache

from memshelf.domain.kinds import PLACEHOLDER, STORES, UNFILED, Kind, Table, load
from memshelf.domain.names import forbidden, is_device, quoted, visible
from memshelf.errors import BadName, BadRequest, ProjectRequired, Refused

MAX_PART = 255
MAX_PATH = 1024
"""Longest part and longest path, in bytes of UTF-8."""
MAX_NUMBER = 99_999

VIEWS = frozenset({"INDEX", "NOW", "MEMORY", "REJECTED", "README"})
"""Stems that are never a `{name}`: in any folder they are a view or a description of it."""

_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_FIELDS = {
    "name": "(?P<name>[^/]+)",
    "collection": "(?P<collection>[^/]+)",
    "class": "(?P<collection>[^/]+)",
    "date": f"(?P<date>{_DAY})",
    # a date in front of a name is a date: 2026-11-09-x.md is not number 2026
    "number": f"(?!{_DAY})(?P<number>[0-9]{{3,5}})",
}
_EXAMPLE = {"number": "1", "date": "'2026-11-09'", "collection": "'programming'", "class": "'architecture'"}


@dataclass(frozen=True, slots=True)
class Place:
    """What a path says about the file."""

    store: str
    """`user` or `project`."""
    kind: str
    """A kind's name, or `unfiled`."""
    path: str
    """Relative to the store's root, with `/`."""
    name: str
    """What stands for {name}, as it is spelled; where the pattern has none, the file's stem."""
    collection: str = ""
    """A note's folder; the class of a proposed, implemented or rejected one."""
    state: str = ""
    number: int | None = None
    date: str = ""
    """YYYY-MM-DD, a day that exists."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    kind: Kind
    regex: re.Pattern[str]
    order: tuple[int, ...]
    """How general each part is: 0 literal, 1 bound (a number, date or state in it), 2 any name."""


def place(store: str, path: str, table: Table | None = None) -> Place:
    """The place of a markdown file; what no pattern names is `unfiled`.

    Raises:
        BadName: the path would lead elsewhere, or is none of a `.md` file.
        BadRequest: the store is neither `user` nor `project`.
    """
    path = check_path(path)
    stem = path.rpartition("/")[2].removesuffix(".md")
    if not path.endswith(".md"):
        raise BadName(f"The path {quoted(path)} is none of a markdown file.", "Pass a path that ends in '.md'.")
    for pattern in _patterns(store) if table is None else _compiled(store, table):
        if found := pattern.regex.fullmatch(path):
            fields = found.groupdict()
            number, day, name = fields.get("number"), fields.get("date", ""), fields.get("name", stem)
            if name in VIEWS or (number and number != f"{int(number):03d}") or (day and not _is_day(day)):
                continue
            states = pattern.kind.states
            return Place(
                store, pattern.kind.name, path, name, fields.get("collection", ""),
                fields.get("state", states[0] if states else ""), int(number) if number else None, day,
            )  # fmt: skip
    return Place(store, UNFILED, path, stem)


def path_for(
    store: str,
    kind: str,
    name: str,
    *,
    collection: str = "",
    state: str = "",
    number: int | None = None,
    date: str = "",
) -> str:
    """The canonical path; `place` of it gives back what was passed. A kind with states has its first by default.

    Raises:
        UnknownKind: no such kind; ProjectRequired: it lives in project stores only.
        BadName: a name, collection or class is missing, leads elsewhere, or is read as something else there.
        BadRequest: another part is missing, is none of the kind's or not of its form; or the store lacks the kind.
    """
    row = load().named(kind)
    _check_store(store, row)
    state = state or (row.states[0] if row.states else "")
    given: dict[str, str | int | None] = {
        "name": name, "collection": collection, "state": state, "number": number, "date": date,
    }  # fmt: skip
    wanted = {_argument(placeholder) for placeholder in row.placeholders}
    if "name" not in wanted and name == date:
        given["name"] = ""  # such a place has its date for a name
    for what, value in given.items():
        if what not in wanted and value not in ("", None):
            raise BadRequest(f"'{what}' is not for kind {row.name!r}, filed as {row.path}.", f"Leave '{what}' out.")
    parts = {placeholder: _part(row, placeholder, given[_argument(placeholder)]) for placeholder in row.placeholders}
    path = check_path(PLACEHOLDER.sub(lambda found: parts[found[1]], row.path))
    read = place(store, path)
    if read != Place(store, row.name, path, name if "name" in wanted else date, collection, state, number, date):
        blamed = "name" if read.kind in (UNFILED, row.name) else "collection"
        raise BadName(
            f"'{blamed}' {quoted(str(given[blamed]))} is reserved: {quoted(path)} is read as kind {read.kind!r}.",
            f"Pass another '{blamed}'" + (f", or kind {read.kind!r}." if blamed == "collection" else "."),
        )
    return path


def check_path(path: str) -> str:
    """The path, which is relative and stays in its store whatever system reads it.

    Raises:
        BadName: it is empty, absolute, too long, leads elsewhere, or names what is no memory (a folder with a dot).
    """
    trouble = _path_trouble(path)
    if trouble:
        raise BadName(
            f"The path {quoted(path)} {trouble}.", "Pass a path inside the store, such as 'facts/deployment.md'."
        )
    return path


def _path_trouble(path: str) -> str:
    if not path:
        return "is empty"
    if path.startswith("/"):
        return "is absolute"
    if path.startswith("~"):
        return "begins in a home folder"
    if re.match("[A-Za-z]:", path):
        return "begins with a drive letter"
    if trouble := forbidden(path.replace("/", "")):
        return trouble
    if len(path.encode()) > MAX_PATH:
        return f"is longer than {MAX_PATH} bytes"
    for part in path.split("/"):
        if not part:
            return "has an empty part"
        # a file system may ignore what is invisible and fold full-width dots into dots
        if not unicodedata.normalize("NFKC", visible(part)).strip(". "):
            return f"has the part {part!r}, which leads elsewhere"
        if visible(part).startswith("."):
            return f"has the part {quoted(part)}: what begins with a dot is no memory"
        if is_device(part):
            return f"has the part {part!r}, which is a device on Windows"
        if len(part.encode()) > MAX_PART:
            return f"has a part longer than {MAX_PART} bytes"
    return ""


def _check_store(store: str, row: Kind) -> None:
    if store not in STORES:
        raise BadRequest(f"'store' {store!r} is neither 'user' nor 'project'.", "Pass one of the two.")
    if not row.path:
        raise BadRequest(
            f"Nothing is filed as kind {row.name!r}: it is what no other kind names.", "Choose another kind."
        )
    if store not in row.stores:
        if store == "user":
            raise ProjectRequired(
                f"Kind {row.name!r} lives in a project's store, not in the user store.", "Pass 'project'."
            )
        raise BadRequest(
            f"Kind {row.name!r} lives in the user store, not in a project's.",
            "Leave 'project' out, or choose another kind.",
        )


def _argument(placeholder: str) -> str:
    return "collection" if placeholder == "class" else placeholder


def _part(row: Kind, placeholder: str, value: str | int | None) -> str:
    what = _argument(placeholder)
    refused: type[Refused] = BadName if what in ("name", "collection") else BadRequest
    if value in ("", None):
        example = f", such as {_EXAMPLE[placeholder]}" if placeholder in _EXAMPLE else ""
        raise refused(f"'{what}' is missing: kind {row.name!r} is filed as {row.path}.", f"Pass '{what}'{example}.")
    if placeholder == "number":
        if type(value) is not int or not 0 <= value <= MAX_NUMBER:
            raise refused(f"'number' {value!r} is no number from 0 to {MAX_NUMBER}.", "Pass the next free number.")
        return f"{value:03d}"
    text = str(value)
    if placeholder == "state" and text not in row.states:
        raise refused(f"'state' {quoted(text)} is none of kind {row.name!r}.", f"Pass one of {', '.join(row.states)}.")
    if placeholder == "date" and not _is_day(text):
        raise refused(f"'date' {quoted(text)} is no day.", "Pass 'date' as 2026-11-09.")
    if trouble := forbidden(text):
        raise refused(f"'{what}' {quoted(text)} {trouble}.", f"Pass '{what}' as letters, digits and hyphens.")
    return text


def _is_day(text: str) -> bool:
    try:
        return bool(re.fullmatch(_DAY, text)) and calendar_date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


@cache
def _patterns(store: str) -> tuple[_Pattern, ...]:
    return tuple(_compiled(store, load()))


def _compiled(store: str, table: Table) -> list[_Pattern]:
    """The patterns of a store's kinds, the most specific first, so that `notes/scratch/` is no collection."""
    patterns = (_pattern(kind, text) for kind in table.for_store(store) for text in (kind.path, *kind.reads))
    return sorted(patterns, key=lambda pattern: pattern.order)


def _pattern(kind: Kind, text: str) -> _Pattern:
    fields = _FIELDS | {"state": f"(?P<state>{'|'.join(map(re.escape, kind.states))})"}
    pieces = PLACEHOLDER.split(text)
    regex = "".join(fields[piece] if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))
    return _Pattern(kind, re.compile(regex), tuple(map(_generality, text.split("/"))))


def _generality(part: str) -> int:
    used = set(PLACEHOLDER.findall(part))
    return 0 if not used else 1 if used & {"number", "date", "state"} else 2
