"""The HTML comment that carries an entry's id and attributes: `<!-- m:3f9a1c2b7d10 at=... src=user -->`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from memshelf.domain.entry import ID

_MARKER = re.compile(r"(?<![^\s\ufeff])<!--[ \t]*m:(?P<id>[^\s>]*)(?P<rest>(?:(?!-->).)*?)[ \t]*-->")
_ENCODE = re.compile(r"[\s\x00-\x20%>\x7f]")
_PERCENT = re.compile(r"((?:%[0-9A-Fa-f]{2})+)")
HINT = "<!--"
"""Cheap test before the pattern is tried."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker as read: its id, its attributes in order, and the words that are no attribute, kept as they are."""

    id: str
    attributes: Mapping[str, str]
    foreign: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        return ID.fullmatch(self.id) is not None

    def render(self) -> str:
        """The comment, one line; attribute values percent-encode white space, `%` and `>`."""
        words = [f"m:{self.id}", *(f"{k}={encode(v)}" for k, v in self.attributes.items()), *self.foreign]
        return f"<!-- {' '.join(words)} -->"

    def updated(self, changes: Mapping[str, str]) -> Marker:
        """The same marker with attributes set; an empty value takes the attribute away."""
        merged = {**self.attributes, **changes}
        return Marker(self.id, {k: v for k, v in merged.items() if v != ""}, self.foreign)


@dataclass(frozen=True, slots=True)
class Found:
    """A marker and the characters of the line that it stands at."""

    marker: Marker
    start: int
    end: int


NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})


def find(line: str) -> Found | None:
    """The last marker comment on a line, None where there is none.

    It has white space or the line's start before it, so that one quoted in a code span is text.
    """
    if HINT not in line:
        return None
    last = None
    for match in _MARKER.finditer(line):
        last = match
    if last is None:
        return None
    attributes: dict[str, str] = {}
    foreign: list[str] = []
    for word in last["rest"].split():
        key, equals, value = word.partition("=")
        if equals and key and key not in attributes:
            attributes[key] = decode(value)
        else:
            foreign.append(word)
    return Found(Marker(last["id"], attributes, tuple(foreign)), last.start(), last.end())


def encode(value: str) -> str:
    """An attribute value as it stands in the comment (RFC 3986 percent-encoding of UTF-8 bytes)."""
    return _ENCODE.sub(lambda m: "".join(f"%{b:02X}" for b in m[0].encode("utf-8", "surrogatepass")), value)


def decode(value: str) -> str:
    """The value behind `encode`; a `%` that starts no escape stands for itself."""
    if "%" not in value:
        return value
    return _PERCENT.sub(lambda m: bytes.fromhex(m[1].replace("%", "")).decode("utf-8", "replace"), value)


def join(parts: tuple[str, ...] | list[str]) -> str:
    """Words as one comma-separated value; a comma within a word becomes a space."""
    return ",".join(" ".join(part.replace(",", " ").split()) for part in parts)


def escape(text: str) -> str:
    """Text in which no comment can begin or end; `unescape` gives it back."""
    text = re.sub(r"&((?:amp;)*)lt;!--", r"&amp;\1lt;!--", text)
    text = re.sub(r"--&((?:amp;)*)gt;", r"--&amp;\1gt;", text)
    return text.replace("<!--", "&lt;!--").replace("-->", "--&gt;")


def unescape(text: str) -> str:
    """The text behind `escape`."""
    if "&" not in text:
        return text
    text = text.replace("&lt;!--", "<!--").replace("--&gt;", "-->")
    text = re.sub(r"&amp;((?:amp;)*)lt;!--", r"&\1lt;!--", text)
    return re.sub(r"--&amp;((?:amp;)*)gt;", r"--&\1gt;", text)
