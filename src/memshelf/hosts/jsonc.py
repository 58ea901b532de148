"""One member of a JSON text set or taken away, with every other byte left where it is.

Comments and trailing commas are read everywhere and never written where the text has none. It knows nothing about
hosts or files. A path is the keys from the root object down to the member, at least one. Where a key stands twice the
last one counts, as in JSON.parse.

`drop(put(text, path, value), path, missing(text, path)) == text` for a text that has no such member.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memshelf.hosts.json_tree import BOM, COMMENT, NEWLINE, Member, Node, parse, refusal

_BLANKS = " \t"


def get(text: str, path: Sequence[str]) -> Any:
    """The value at a path, None where there is none; the empty path is the whole text. Raises: Broken."""
    value = _value(parse(text))
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def missing(text: str, path: Sequence[str]) -> int:
    """How many objects `put` would have to make around the member, the root included. Raises: Broken."""
    return len(path) - len(_chain(text, path))


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with the member set; the same text when it already has that value. Raises: Broken."""
    chain = _chain(text, path)
    if not chain:
        return _rooted(text, _nested(path, value))
    holder, key = chain[-1], path[len(chain) - 1]
    there = _last(holder, key) if len(chain) == len(path) else None
    if there is None:
        return _inserted(text, holder, key, _nested(path[len(chain) :], value))
    if json.dumps(there.node.value, sort_keys=True) == json.dumps(value, sort_keys=True):
        return text
    flat = NEWLINE.search(text, holder.start, holder.end) is None
    new = _render(value, text, _margin(text, there.start), flat=flat)
    return text[: there.node.start] + new + text[there.node.end :]


def drop(text: str, path: Sequence[str], prune: int = 0) -> str:
    """The text without the member, and without up to `prune` objects around it that this empties. Raises: Broken."""
    chain = _chain(text, path)
    if len(chain) < len(path) or _last(chain[-1], path[-1]) is None:
        return text
    while len(chain) == len(path) and (there := _last(chain[-1], path[-1])) is not None:
        text = _removed(text, chain[-1], there)
        chain = _chain(text, path)
    if prune < 1 or text[chain[-1].start : chain[-1].end] != "{}":
        return text
    if len(path) == 1:
        return _uprooted(text, chain[-1])
    if sum(m.key == path[-2] for m in chain[-2].members or ()) > 1:
        return text  # an object that this one overrode would come back
    return drop(text, path[:-1], prune - 1)


def _value(root: Node | None) -> Any:
    return {} if root is None else root.value


def _chain(text: str, path: Sequence[str]) -> list[Node]:
    """The objects on the way to the member that are there, outermost first. Raises: Broken when one is no object."""
    node, chain = parse(text), []
    for depth in range(len(path)):
        if node is None:
            break
        if node.members is None:
            name = f'"{".".join(path[:depth])}"' if depth else "the file"
            raise refusal(f"{name} is not an object", text, node.start)
        chain.append(node)
        there = _last(node, path[depth])
        node = None if there is None else there.node
    return chain


def _last(holder: Node, key: str) -> Member | None:
    return next((m for m in reversed(holder.members or ()) if m.key == key), None)


# Writing


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _newline(text: str) -> str:
    found = NEWLINE.search(text)
    return found.group() if found else "\n"


def _margin(text: str, at: int) -> str:
    """The blanks that the line of a place begins with."""
    line = text[_line_start(text, at) : at]
    return line[: len(line) - len(line.lstrip(_BLANKS))]


def _line_start(text: str, at: int) -> int:
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    return start + text.startswith(BOM, start)


def _step(text: str) -> str:
    """One level of indentation as this text writes it; two blanks where it shows none."""
    root = parse(text)
    for member in (root.members or ()) if root else ():
        margin = _margin(text, member.start)
        if margin and _opens_line(text, member.start):
            return margin
    return "  "


def _opens_line(text: str, at: int) -> bool:
    return not text[_line_start(text, at) : at].strip(_BLANKS)


def _render(value: Any, text: str, margin: str, *, flat: bool) -> str:
    if flat:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=_step(text)).replace("\n", _newline(text) + margin)


def _rooted(text: str, value: Any) -> str:
    # A last line without an end stays the style of the file, so that taking away can tell the two apart.
    nl = _newline(text)
    body = _render(value, text, "", flat=False)
    bare = text.removeprefix(BOM)
    return text + body + nl if not bare or bare[-1] in "\r\n" else text + nl + body


def _uprooted(text: str, root: Node) -> str:
    nl = _newline(text)
    before, after = text[: root.start], text[root.end :]
    if after.startswith(nl):
        return before + after[len(nl) :]
    return before.removesuffix(nl) + after


def _inserted(text: str, holder: Node, key: str, value: Any) -> str:
    members, close = holder.members or (), holder.end - 1
    last = members[-1] if members else None
    start = holder.start + 1 if last is None else last.node.end if last.comma is None else last.comma + 1
    at = _after_comments(text, start, close)
    nl, margin = _newline(text), _margin(text, holder.start)
    flat, tail, inner = False, "", margin + _step(text)
    if last is not None:
        before = _gap(text, holder, len(members) - 1)
        flat = NEWLINE.search(before) is None and NEWLINE.search(text, start, close) is None
        inner = _margin(text, last.start) if _opens_line(text, last.start) else inner
        tail = "" if last.comma is None else ","
    elif at > start:
        flat = NEWLINE.search(text, start, close) is None
    else:  # nothing but blanks between the braces: they stay before the member, see `_removed`
        at, tail = close, nl + margin
    gap = " " if flat else nl + inner
    body = f"{json.dumps(key, ensure_ascii=False)}: {_render(value, text, inner, flat=flat)}"
    comma = "," if last is not None and last.comma is None else ""
    return text[:start] + comma + text[start:at] + gap + body + tail + text[at:]


def _removed(text: str, holder: Node, there: Member) -> str:
    """The text without one member, its comma and the blanks before it; every comment stays."""
    members, close = holder.members or (), holder.end - 1
    place = members.index(there)
    earlier = members[place - 1] if place else None
    start = holder.start + 1 if earlier is None else (earlier.comma or earlier.node.end) + 1
    head, middle, tail = text[start : there.start], "", text[there.node.end :]
    if there.comma is not None:
        middle, tail = text[there.node.end : there.comma], text[there.comma + 1 :]
    if len(members) == 1 and not head.strip() and not (middle + text[there.node.end : close]).strip(" \t\r\n,"):
        # The only member, no comment beside it. Blanks that were between the braces before it came end where its
        # own line begins; without a line of its own the braces close up.
        nl = _newline(text)
        own = head.rstrip(_BLANKS)
        return text[:start] + (own.removesuffix(nl) if own.endswith(nl) else "") + text[close:]
    kept = head[: _after_comments(head, 0, len(head))]
    comments = COMMENT.findall(kept)
    if comments and comments[-1].startswith("//") and (middle + tail).lstrip(_BLANKS)[:1] not in ("\n", "\r"):
        kept = head[: NEWLINE.search(head, len(kept)).end()]  # pyright: ignore[reportOptionalMemberAccess] it ended there
    last = place == len(members) - 1
    if last and there.comma is None and earlier is not None and earlier.comma is not None:
        return text[: earlier.comma] + text[earlier.comma + 1 : start] + kept + middle + tail
    return text[:start] + kept + middle + tail


def _gap(text: str, holder: Node, place: int) -> str:
    members = holder.members or ()
    start = members[place - 1].comma if place else holder.start
    return text[(start or holder.start) + 1 : members[place].start]


def _after_comments(text: str, start: int, end: int) -> int:
    """The end of the last comment of a stretch that holds blanks and comments only, else its start."""
    at = start
    for comment in COMMENT.finditer(text, start, end):
        at = comment.end()
    return at
