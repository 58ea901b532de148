"""Secrets in a text, by the rule table `abi/secrets.toml`. Says which rule and where; never holds what it found."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from memshelf.errors import MemshelfError

_COLUMNS: Mapping[str, type | tuple[type, ...]] = {
    "tier": int,
    "about": str,
    "keywords": list,
    "pattern": str,
    "min_entropy": (int, float),
    "not": str,
}
_NEEDED = ("tier", "about", "keywords", "pattern")
_VALUE_GROUPS = ("secret", "quoted", "bare")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_MARKUP = re.compile(r"[*`]|\\(?=[_*`.\-])|</?(?:b|i|em|strong|code)>", re.I)


class MalformedRules(MemshelfError):
    """The table of secrets cannot be used; the message names row and column."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Where a text breaks a rule: columns `start` to `end`, the end not included. Never what stands there."""

    rule: str
    tier: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table; its patterns are compiled by the first text that needs them."""

    name: str
    tier: int
    """1: refused always; 2: refused unless the caller names the rule."""
    about: str
    """What it is, with its article."""
    keywords: tuple[str, ...]
    """A text that holds none of them, in lower case, is not matched."""
    pattern: str
    placeholder: str
    min_entropy: float = 0.0
    unless: str = ""
    """A value in which this pattern is found is no secret."""

    def spans(self, text: str) -> Iterable[tuple[int, int]]:
        """Start and end of every value in the text."""
        for match in _compiled(self.pattern).finditer(text):
            group = next((g for g in _VALUE_GROUPS if g in match.re.groupindex and match[g]), 0)
            if self.holds(match[group]):
                yield match.span(group)

    def holds(self, value: str) -> bool:
        """Whether a value in the place of a secret is one."""
        bare = value.strip("\"'`*_.,;:!?")
        if self.min_entropy and entropy(bare) < self.min_entropy:
            return False
        if _compiled(self.placeholder).search(value) or _compiled(self.placeholder).search(bare):
            return False
        return not (self.unless and _compiled(self.unless).search(bare))


def findings(text: str) -> list[Finding]:
    """Every secret in the text, by start; where two rules find the same value, the earlier row has it.

    What shows only in the text without invisible characters, with full-width letters made plain, or without emphasis
    and backticks is found too; its columns are those of the whole text.
    """
    found = [Finding(rule.name, rule.tier, start, end) for rule, start, end in _scan(text)]
    for form in readings(text):
        for rule, _, _ in _scan(form):
            if not any(f.rule == rule.name or f.tier == 1 < rule.tier for f in found):
                found.append(Finding(rule.name, rule.tier, 0, len(text)))
    return sorted(found, key=lambda f: (f.start, f.end))


def _scan(text: str) -> list[tuple[Rule, int, int]]:
    """Rule, start and end of every value in one form of a text; no two of them overlap."""
    lowered = text.lower()
    taken: list[tuple[Rule, int, int]] = []
    for rule in rules().values():
        if any(word in lowered for word in rule.keywords):
            for start, end in rule.spans(text):
                if not any(a < end and start < b for _, a, b in taken):
                    taken.append((rule, start, end))
    return taken


def readings(text: str) -> list[str]:
    """The text as a reader sees it, and that without markup; only those that differ from what comes before."""
    forms: list[str] = []
    plain = text
    if not text.isascii() or _CONTROLS.search(text):
        plain = "".join(c for c in unicodedata.normalize("NFKC", text) if not _invisible(c))
        if plain != text:
            forms.append(plain)
    bare = _MARKUP.sub("", plain)
    if bare != plain:
        forms.append(bare)
    return forms


def placeholder(value: str) -> bool:
    """Whether a value is what stands in examples and templates instead of a secret, or only points at one."""
    return not rules()["assignment"].holds(value)


def entropy(value: str) -> float:
    """Shannon entropy in bits a character; 0 for an empty value."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) if size else 0.0


@cache
def rules() -> Mapping[str, Rule]:
    """Every rule by name, in the order of the file.

    Raises:
        MalformedRules: the table is missing or broken.
    """
    here = Path(__file__).resolve()
    for file in (here.parents[1] / "abi" / "secrets.toml", here.parents[3] / "abi" / "secrets.toml"):
        if file.is_file():
            return parse(file.read_text(encoding="utf-8"))
    raise MalformedRules("The table of secrets, abi/secrets.toml, is not installed.", "Install memshelf again.")


def parse(text: str) -> Mapping[str, Rule]:
    """The rules that a text in TOML describes; patterns are not compiled here.

    Raises:
        MalformedRules: with the row and column that will not do.
    """
    import tomllib  # by the first write; the server's start does not

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as why:
        raise MalformedRules(f"secrets.toml is no TOML: {why}.", "Correct it.") from None
    if extra := set(document) - {"secret", "placeholder"}:
        raise MalformedRules(f"secrets.toml has {min(extra)!r} outside a row.", "Write rows as [secret.NAME].")
    common = document.get("placeholder", r"(?!)")
    return MappingProxyType({name: _rule(name, row, common) for name, row in document.get("secret", {}).items()})


def _rule(name: str, row: Any, common: str) -> Rule:
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name):
        raise _wrong(name, "name", "it is lower-case words with hyphens")
    for column, value in row.items():
        if column not in _COLUMNS:
            raise _wrong(name, column, f"there is no such column; there are {', '.join(_COLUMNS)}")
        if not isinstance(value, _COLUMNS[column]) or isinstance(value, bool):
            raise _wrong(name, column, "it has the wrong type")
    for column in _NEEDED:
        if not row.get(column):
            raise _wrong(name, column, "it is missing")
    if row["tier"] not in (1, 2):
        raise _wrong(name, "tier", "it is 1 or 2")
    keywords = tuple(row["keywords"])
    if not all(isinstance(word, str) and word and word == word.lower() for word in keywords):
        raise _wrong(name, "keywords", "they are texts in lower case")
    return Rule(
        name,
        row["tier"],
        row["about"],
        keywords,
        row["pattern"],
        common,
        row.get("min_entropy", 0.0),
        row.get("not", ""),
    )


def _wrong(row: str, column: str, problem: str) -> MalformedRules:
    return MalformedRules(f"secrets.toml, row [secret.{row}], column {column!r}: {problem}.", "Correct the table.")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _invisible(char: str) -> bool:
    if char.isascii():
        return (char < " " and char not in "\t\n") or char == "\x7f"
    return unicodedata.category(char) in ("Cf", "Cc", "Mn", "Cn") or char in "\u115f\u1160\u3164\u17b4\u17b5"
