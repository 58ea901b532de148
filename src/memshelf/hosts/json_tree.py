"""JSON with comments and trailing commas, read into values that remember where they stand. Writes nothing."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from memshelf.hosts.broken import Broken

BOM = "\ufeff"
NEWLINE = re.compile(r"\r\n|\n|\r")
COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_STRINGS = json.JSONDecoder()
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class Node:
    start: int
    end: int
    value: Any
    members: tuple[Member, ...] | None = None
    """None for everything but an object."""


@dataclass(frozen=True, slots=True)
class Member:
    key: str
    start: int
    node: Node
    comma: int | None
    """Where the comma behind it stands, if there is one."""


def parse(text: str) -> Node | None:
    """The root, None for a text of blanks and comments only."""
    at = _skip(text, len(BOM) if text.startswith(BOM) else 0)
    if at == len(text):
        return None
    root = _read(text, at, 0)
    rest = _skip(text, root.end)
    if rest != len(text):
        raise refusal("there is something behind the end of the value", text, rest)
    return root


def _skip(text: str, at: int) -> int:
    match = _TRIVIA.match(text, at)
    end = match.end() if match else at
    if text.startswith("/*", end):
        raise refusal("a comment is opened and never closed", text, end)
    return end


def _read(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise refusal(f"values are nested more than {_DEEPEST} deep", text, at)
    mark = text[at : at + 1]
    if mark == "{":
        return _object(text, at, depth)
    if mark == "[":
        return _array(text, at, depth)
    if mark == '"':
        value, end = _string(text, at)
        return Node(at, end, value)
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return Node(at, at + len(word), value)
    if number := _NUMBER.match(text, at):
        try:
            return Node(at, number.end(), json.loads(number.group()))
        except ValueError:  # CPython refuses whole numbers of more than 4300 digits
            return Node(at, number.end(), float(number.group()))
    raise refusal("a value is expected here", text, at)


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        return _STRINGS.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise refusal("this string is not well formed", text, error.pos) from error


def _object(text: str, start: int, depth: int) -> Node:
    members: list[Member] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        if members and members[-1].comma is None:
            raise refusal("a comma or the closing brace of an object is expected here", text, at)
        if text[at : at + 1] != '"':
            raise refusal("a key in double quotes or the closing brace of an object is expected here", text, at)
        key, end = _string(text, at)
        colon = _skip(text, end)
        if text[colon : colon + 1] != ":":
            raise refusal("a colon is expected here", text, colon)
        node = _read(text, _skip(text, colon + 1), depth + 1)
        after = _skip(text, node.end)
        comma = after if text[after : after + 1] == "," else None
        members.append(Member(key, at, node, comma))
        at = after if comma is None else _skip(text, comma + 1)
    return Node(start, at + 1, {m.key: m.node.value for m in members}, tuple(members))


def _array(text: str, start: int, depth: int) -> Node:
    values: list[Any] = []
    at = _skip(text, start + 1)
    parted = True
    while text[at : at + 1] != "]":
        if not parted:
            raise refusal("a comma or the closing bracket of a list is expected here", text, at)
        node = _read(text, at, depth + 1)
        values.append(node.value)
        at = _skip(text, node.end)
        if parted := text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return Node(start, at + 1, values)


def refusal(what: str, text: str, at: int) -> Broken:
    starts = [0, *(m.end() for m in NEWLINE.finditer(text, 0, at))]
    return Broken(what, len(starts), at - starts[-1] + 1)
