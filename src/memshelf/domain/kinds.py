"""The kinds of memory, as `abi/kinds.toml` lists them. Knows of paths only their patterns, and no file but that one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memshelf.errors import BadRequest, MemshelfError, UnknownKind

UNFILED = "unfiled"
"""The kind of a markdown file whose path no row names."""

STORES = ("user", "project")
PLACEHOLDER = re.compile(r"\{(\w+)\}")

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "stores": STORES,
    "default": STORES,
    "grain": ("bullet", "heading", "file"),
    "mutability": ("revise", "append", "sequential", "inbox", "frozen", "rewrite"),
    "then": ("", "revise", "freeze"),
    "drawer": ("semantic", "episodic", "procedural", "personas", "working", "inbox"),
    "needs": ("evidence", "locator", "lesson"),
    "trust": ("", "candidate"),
}
_CAPS = ("lines", "active")
_PLACEHOLDERS = ("name", "collection", "class", "state", "number", "date")


class MalformedTable(MemshelfError):
    """The table of kinds cannot be used; the message names row and column."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table."""

    name: str
    about: str
    """What belongs here, in one line with an example."""
    stores: tuple[str, ...]
    """`user`, `project` or both."""
    path: str
    """Canonical pattern under the store's root; empty for `unfiled` alone."""
    grain: str
    """bullet, heading (of a daily log) or file."""
    mutability: str
    """revise, append, sequential, inbox, frozen or rewrite."""
    drawer: str
    """The duty it has: semantic, episodic, procedural, personas, working or inbox."""
    default: str = ""
    """The store of an add that names none while a project is bound."""
    reads: tuple[str, ...] = ()
    """Further patterns read as this kind; nothing new is written there."""
    then: str = ""
    """Once added: `revise` by id; `freeze` once it is not the newest number or of today, a log entry at once."""
    series: str = ""
    """Kinds with the same series share one count of numbers."""
    states: tuple[str, ...] = ()
    """Folders that are the state, the default first."""
    frozen_states: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """What a draft has to bring: evidence, locator, lesson."""
    caps: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """`lines` of a file, `active` files at a time; nothing is ever cut to fit."""
    decays: bool = True
    """Whether confidence falls with the days since it was last confirmed."""
    archive_days: int = 0
    """Age in days from which it may be archived; 0 is never."""
    archive_states: tuple[str, ...] = ()
    """The states in which it may be archived by age; empty is any."""
    in_search: bool = True
    """Whether a search that asks for nothing special covers it."""
    trust: str = ""
    """The trust of everything in it, whoever wrote it; empty leaves it to the channel."""
    guides: tuple[str, ...] = ()
    """Suggested collections or classes; others may be made."""

    @property
    def placeholders(self) -> tuple[str, ...]:
        """What its path is made of, in order: name, collection, class, state, number, date."""
        return tuple(PLACEHOLDER.findall(self.path))


class Table(Mapping[str, Kind]):
    """Every kind by name, in the order of the file."""

    __slots__ = ("_aliases", "_rows")

    def __init__(self, rows: Mapping[str, Kind]) -> None:
        self._rows = MappingProxyType(dict(rows))
        self._aliases = {alias: kind for kind in rows.values() for alias in (kind.name, *kind.aliases)}

    def __getitem__(self, name: str) -> Kind:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def named(self, text: str) -> Kind:
        """The kind a caller means: a name or an alias, in any case.

        Raises:
            UnknownKind: neither; the message lists every kind, and the nearest one first where one is near.
        """
        word = _word(text)
        if kind := self._aliases.get(word):
            return kind
        from difflib import get_close_matches  # on the way to an error only: the hooks start in 100 ms

        near = get_close_matches(word, self._aliases, n=1, cutoff=0.7)
        hint = f" Did you mean {self._aliases[near[0]].name!r}?" if near else ""
        listing = "\n".join(f"- {kind.name}: {kind.about}" for kind in self.values() if kind.path)
        what = f"{text[:60]!r} is no kind of memory.{hint}" if word else "'kind' is missing."
        raise UnknownKind(what, f"Pass one of these as 'kind':\n{listing}", near=near)

    def for_store(self, store: str) -> tuple[Kind, ...]:
        """The kinds that are filed in a store, `user` or `project`.

        Raises:
            BadRequest: it is neither.
        """
        if store not in STORES:
            raise BadRequest(f"'store' {store!r} is neither 'user' nor 'project'.", "Pass one of the two.")
        return tuple(kind for kind in self.values() if kind.path and store in kind.stores)


@cache
def load() -> Table:
    """The table that this program was built with.

    Raises:
        MalformedTable: it is missing or broken.
    """
    here = Path(__file__).resolve()
    # not importlib.resources: importing it costs more than everything else that a hook does
    for file in (here.parents[1] / "abi" / "kinds.toml", here.parents[3] / "abi" / "kinds.toml"):
        if file.is_file():
            return parse(file.read_text(encoding="utf-8"))
    raise MalformedTable("The table of kinds, abi/kinds.toml, is not installed.", "Install memshelf again.")


def parse(text: str) -> Table:
    """The table a text in TOML describes.

    Raises:
        MalformedTable: with the row and column that will not do.
    """
    import tomllib  # by the first call that needs the table; the server's start does not

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as why:
        raise MalformedTable(f"kinds.toml is no TOML: {why}.", "Correct it.") from None
    if extra := set(document) - {"kind"}:
        raise MalformedTable(f"kinds.toml has {min(extra)!r} outside a row.", "Write rows as [kind.NAME].")
    rows = {name: _row(name, columns) for name, columns in document.get("kind", {}).items()}
    if UNFILED not in rows:
        raise MalformedTable(f"kinds.toml has no row [kind.{UNFILED}].", "Add it for files that no other row names.")
    owner: dict[str, str] = {}
    for kind in rows.values():
        for word in (kind.name, *kind.aliases):
            if word in owner:
                raise _wrong(kind.name, "aliases", f"{word!r} belongs to [kind.{owner[word]}] too")
            owner[word] = kind.name
    return Table(rows)


def _row(name: str, columns: Any) -> Kind:
    known = {f.name: f for f in fields(Kind) if f.name != "name"}
    if not isinstance(columns, dict):
        raise MalformedTable(f"[kind.{name}] is no row.", "Write rows as [kind.NAME] with columns.")
    for column, value in columns.items():
        if column not in known:
            raise _wrong(name, column, f"there is no such column; there are {', '.join(known)}")
        _check_type(name, column, value, str(known[column].type))
    for column, f in known.items():
        if column not in columns and f.default is MISSING and f.default_factory is MISSING:
            raise _wrong(name, column, "it is missing")
    values: dict[str, Any] = {column: _frozen(value) for column, value in columns.items()}
    if len(values["stores"]) == 1:
        values.setdefault("default", values["stores"][0])
    kind = Kind(name, **values)
    _check_sense(kind)
    return kind


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return MappingProxyType(value) if isinstance(value, dict) else value


def _check_type(name: str, column: str, value: Any, type_name: str) -> None:
    if type_name.startswith("tuple"):
        words = value if isinstance(value, list) and all(isinstance(v, str) and v for v in value) else None
        fits = words is not None and len(set(words)) == len(words)
        expected = "a list of different words"
    elif type_name.startswith("Mapping"):
        fits = isinstance(value, dict) and all(k in _CAPS and type(v) is int and v > 0 for k, v in value.items())
        expected = f"a table with whole numbers above 0 for {' or '.join(_CAPS)}"
    else:
        fits = type(value).__name__ == type_name and (type_name != "int" or value >= 0)
        expected = {"str": "a text", "bool": "true or false", "int": "a whole number from 0"}[type_name]
    if not fits:
        raise _wrong(name, column, f"{value!r} is not {expected}")
    choices = _CHOICES.get(column, ())
    for one in value if isinstance(value, list) else [value]:
        if choices and one not in choices:
            raise _wrong(name, column, f"{one!r} is none of {', '.join(filter(None, choices))}")


def _check_sense(kind: Kind) -> None:
    has = set(kind.placeholders)
    problems = {
        "name": "a kind's name is lower-case letters" if not re.fullmatch("[a-z]+", kind.name) else "",
        "about": "it is one line" if not kind.about.strip() or "\n" in kind.about else "",
        "stores": "it is empty" if not kind.stores else "",
        "default": f"{kind.default!r} is not in stores" if kind.default not in kind.stores else "",
        "path": _path_problem(kind.path) if kind.path or kind.name != UNFILED else "",
        "reads": next((p for p in map(_path_problem, kind.reads) if p), ""),
        "states": "they and {state} in path come together" if bool(kind.states) != ("state" in has) else "",
        "series": "it and {number} in path come together" if bool(kind.series) != ("number" in has) else "",
        "frozen_states": "not all of them are states" if set(kind.frozen_states) - set(kind.states) else "",
        "archive_states": "not all of them are states" if set(kind.archive_states) - set(kind.states) else "",
        "aliases": "they are lower-case words" if any(_word(alias) != alias for alias in kind.aliases) else "",
    }
    for column, problem in problems.items():
        if problem:
            raise _wrong(kind.name, column, problem)


def _path_problem(pattern: str) -> str:
    used = PLACEHOLDER.findall(pattern)
    if not pattern.endswith(".md") or re.search(r"^[/.]|//|/\.|\\", pattern):
        return f"{pattern!r} is no relative path of a .md file"
    if unknown := set(used) - set(_PLACEHOLDERS):
        return f"{min(unknown)!r} in {pattern!r} is none of {', '.join(_PLACEHOLDERS)}"
    stray = re.search(r"[{}]", PLACEHOLDER.sub("", pattern))
    if stray or not {"name", "date"} & set(used) or len(set(used)) != len(used):
        return f"{pattern!r} needs {{name}} or {{date}}, and each placeholder once"
    return ""


def _wrong(row: str, column: str, problem: str) -> MalformedTable:
    return MalformedTable(f"kinds.toml, row [kind.{row}], column {column!r}: {problem}.", "Correct the table.")


def _word(text: str) -> str:
    return re.sub(r"[\s_-]+", "-", text.strip().casefold())
