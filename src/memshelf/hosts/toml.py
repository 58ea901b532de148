"""One table of a TOML text set or taken away, with every other byte left where it is.

The same four functions as `jsonc`, for paths of at least two keys. tomlkit is not used to take away: it keeps a
comment with the table above it, so that the comment over somebody's next table would go with ours. Here a text is cut
into statements, ours are found by their full key, and tomllib judges each result.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memshelf.hosts.broken import Broken

_NEWLINE = re.compile(r"\r\n|\n")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLACE = re.compile(r" *\(at (?:line (\d+), column (\d+)|end of document)\)")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class _Statement:
    """A table header or a key with its value, without the blanks and the comment around it."""

    start: int
    end: int
    path: tuple[str, ...]
    header: bool


def get(text: str, path: Sequence[str]) -> Any:
    """The value at a path, None where there is none. Raises: Broken."""
    value: Any = _load(text)
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def missing(text: str, path: Sequence[str]) -> int:
    """Always none: a table needs no other table written around it. Raises: Broken."""
    _guard(text, path)
    return 0


def put(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """The text with the table set; the same text when it already has that value. Raises: Broken."""
    _guard(text, path)
    there = get(text, path)
    if there == value:
        return text
    nl, block = _newline(text), _render(path, value)
    if there is None:
        bare = text.removeprefix(_BOM)
        # A last line without an end stays the style of the file, so that taking away can tell the two apart.
        after = text + nl * bool(bare) + block.replace("\n", nl)
        if bare and not bare.endswith("\n"):
            after = text + nl * 2 + block.replace("\n", nl).removesuffix(nl)
        return _judged(text, after, path, value)
    ours = _ours(text, path)
    first = ours[0]
    if not first.header:
        return put(drop(text, path), path, value)
    start = _line_start(text, first.start)
    rest = _without(text, ours)
    if not text.endswith("\n") and not rest[start:]:
        block = block.removesuffix("\n")
    return _judged(text, rest[:start] + block.replace("\n", nl) + rest[start:], path, value)


def drop(text: str, path: Sequence[str], prune: int = 0) -> str:  # noqa: ARG001 the signature of jsonc.drop
    """The text without the table and its own tables, their comments kept. Raises: Broken."""
    _guard(text, path)
    if get(text, path) is None:
        return text
    ours = _ours(text, path)
    rest, start = _without(text, ours), _line_start(text, ours[0].start)
    above = rest[:start]
    if not rest[start:] and not text.endswith("\n"):
        above = _shorter(_shorter(above))
    elif _shorter(above).endswith("\n"):
        above = _shorter(above)
    rest = above + rest[start:]
    return _judged(text, rest, path, None)


def _load(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        what = _PLACE.sub("", str(error))
        line, column = (int(found[1]), int(found[2])) if found and found[1] else (text.count("\n") + 1, 1)
        raise Broken(what[:1].lower() + what[1:], line, column) from error
    except RecursionError as error:
        raise Broken("values are nested too deep", 1) from error


def _guard(text: str, path: Sequence[str]) -> None:
    value: Any = _load(text)
    for depth, key in enumerate(path[:-1], 1):
        value = value.get(key, {})
        if not isinstance(value, dict):
            name = ".".join(path[:depth])
            at = next((s.start for s in _statements(text) if s.path[:depth] == tuple(path[:depth])), 0)
            raise Broken(f'"{name}" is not a table', text.count("\n", 0, at) + 1)


def _judged(before: str, after: str, path: Sequence[str], value: Any) -> str:
    """The text after, once tomllib reads in it what was meant and nothing else has changed."""
    try:
        same = _others(_load(after), path) == _others(_load(before), path) and get(after, path) == value
    except Broken:
        same = False
    if not same:
        raise _inline(before, path)
    return after


def _inline(text: str, path: Sequence[str]) -> Broken:
    found = next((s for s in _statements(text) if s.path == tuple(path[: len(s.path)])), None)
    line = text.count("\n", 0, found.start) + 1 if found else 1
    return Broken(f'"{path[0]}" is an inline table, which cannot be edited in place', line)


def _others(tree: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """The tree without the member, and without the tables around it that are empty then."""
    rest = {k: v for k, v in tree.items() if k != path[0]}
    inner = tree.get(path[0])
    if len(path) > 1 and isinstance(inner, dict) and (kept := _others(inner, path[1:])):
        rest[path[0]] = kept
    return rest


def _render(path: Sequence[str], value: Mapping[str, Any]) -> str:
    lines = [f"[{'.'.join(map(_key, path))}]"]
    lines += [f"{_key(k)} = {_literal(v)}" for k, v in value.items() if not isinstance(v, Mapping)]
    tables = [_render([*path, k], v) for k, v in value.items() if isinstance(v, Mapping)]
    return "\n".join(lines) + "\n" + "".join(tables)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _literal(key)


def _literal(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise Broken(f"a {type(value).__name__} in our own entry cannot be written again", 1)


# Reading


def _newline(text: str) -> str:
    found = _NEWLINE.search(text)
    return found.group() if found else "\n"


def _shorter(text: str) -> str:
    """The text without one line end of either kind."""
    return text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")


def _line_start(text: str, at: int) -> int:
    start = text.rfind("\n", 0, at) + 1
    return start + text.startswith(_BOM, start)


def _ours(text: str, path: Sequence[str]) -> list[_Statement]:
    depth = len(path)
    ours = [s for s in _statements(text) if s.path[:depth] == tuple(path)]
    if not ours:
        raise _inline(text, path)
    return ours


def _statements(text: str) -> Iterator[_Statement]:
    """Every statement of a text that tomllib has read, in order."""
    at, table = len(_BOM) if text.startswith(_BOM) else 0, ()
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
        elif text[at] == "#":
            at = _line_end(text, at)
        elif text[at] == "[":
            end = _end(text, at, "")
            inner = text[at:end].strip("[] \t")
            table = _path(inner)
            yield _Statement(at, end, table, header=True)
            at = end
        else:
            equals = _end(text, at, "=")
            end = _end(text, equals + 1, "")
            yield _Statement(at, end, table + _path(text[at:equals]), header=False)
            at = end


def _end(text: str, at: int, stop: str) -> int:
    """Where a key (up to `stop`) or a value ends: at the end of its line or at its comment, outside of brackets."""
    depth, last = 0, at
    while at < len(text):
        mark = text[at]
        if mark in "\"'" and (string := _STRING.match(text, at)):
            at = last = string.end()
            continue
        if stop and mark == stop:
            return at
        if depth == 0 and mark in "#\n":
            break
        if mark == "#":
            at = _line_end(text, at)
            continue
        depth += (mark in "[{") - (mark in "]}")
        at += 1
        last = last if mark in " \t\r\n" else at
    return last


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _path(key: str) -> tuple[str, ...]:
    """The parts of a dotted key, read by tomllib itself."""
    tree: Any = tomllib.loads(f"{key.strip()} = 0")
    parts: list[str] = []
    while isinstance(tree, dict):
        name, tree = next(iter(tree.items()))
        parts.append(name)
    return tuple(parts)


def _without(text: str, statements: Sequence[_Statement]) -> str:
    """The text without these statements and the lines that this leaves empty."""
    for statement in reversed(statements):
        start, end = _line_start(text, statement.start), statement.end
        rest = text[end : (line := _line_end(text, end))]
        text = text[:start] + (rest.lstrip() + text[line:] if rest.strip() else text[line + 1 :])
    return text
