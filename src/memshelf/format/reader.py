"""From a file's bytes to its entries: one pass over its blocks. Pure; knows nothing of folders, rules or the clock."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from memshelf.domain.entry import Entry, mint
from memshelf.domain.text import folded
from memshelf.format import managed
from memshelf.format.blocks import Block, scan
from memshelf.format.columns import dedent
from memshelf.format.document import Document, Span
from memshelf.format.lines import split
from memshelf.format.marker import HINT, NO_ATTRIBUTES, Found, Marker, find, unescape
from memshelf.format.wording import GUARDED_BOX, TASK_BOX, unescaped, unguarded

LARGE = 1_000_000
"""Bytes from which a file is parsed without looking for garbage in between."""

_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_TAIL = re.compile(r"(?:[ \t]*<!--(?:(?!-->).)*-->)+[ \t]*$")
_COMMENT = re.compile(r"<!--(?:(?!-->).)*-->")
_CLOCK = re.compile(r"\d{1,2}:\d{2}\b")
_DELIMITER_ROW = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_ESCAPED = re.compile(r"&(?:amp;)*lt;!--|--&(?:amp;)*gt;")


@lru_cache(maxsize=2)  # what an edit proves is what the next read asks for
def parse(data: bytes, path: str, grain: str = "bullet") -> Document:
    """Read a file's bytes; broken UTF-8 and NUL are carried through unchanged (surrogateescape)."""
    collecting = gc.isenabled() and len(data) > LARGE
    if collecting:  # nothing in here is garbage, and looking for some takes longer than the parse
        gc.disable()
    try:
        return _parsed(data, path, grain)
    finally:
        if collecting:
            gc.freeze()  # nor is anything in here garbage while the file is known; later collections pass it over
            gc.enable()


def _parsed(data: bytes, path: str, grain: str) -> Document:
    lines, bare, first = split(data)
    blocks, ours = scan(bare, first), ()
    if managed.HINT in data:
        blocks, ours = managed.collapsed(bare, blocks)
    return _Reader(data, path, grain, lines, bare, blocks, first, ours).document()


def plain_heading(line: str) -> str:
    """A heading's words without number signs and comments, comment escapes undone."""
    text = _COMMENT.sub("", line).strip()
    if text.startswith("#"):
        text = re.sub(r"[ \t]+#+$", "", text.lstrip("#").strip())
    return unescape(text.strip())


class _Reader:
    """One pass over the blocks of one file."""

    def __init__(
        self, data: bytes, path: str, grain: str, lines: list[str], bare: list[str], blocks: list[Block], first: int,
        ours: tuple[tuple[int, int], ...],
    ) -> None:  # fmt: skip
        self.data, self.path, self.grain, self.ours = data, path, grain, ours
        self.lines, self.bare, self.blocks, self.first = lines, bare, blocks, first
        self.found: list[tuple[str, str, tuple[str, ...], Marker | None, Span]] = []
        self.folds: list[str] = []
        self.children: dict[int, list[int]] = {}
        for i, block in enumerate(blocks):
            if block.parent >= 0:
                self.children.setdefault(block.parent, []).append(i)

    def document(self) -> Document:
        title = self._walk()
        entries, by_id = self._with_ids()
        eol = "\r\n" if self.lines and self.lines[0].endswith("\r\n") else "\n"
        return Document(
            self.path, self.grain, self.data, tuple(self.lines), eol, tuple(self.blocks), self.first, title,
            tuple(entries), tuple(f[4] for f in self.found), tuple(f[3] for f in self.found), tuple(self.folds), by_id,
            self.ours,
        )  # fmt: skip

    # -- walking -------------------------------------------------------------------------------------------------

    def _walk(self) -> str:
        headings: list[tuple[int, str]] = []
        title, until, comment = "", -1, -1
        top = [i for i, block in enumerate(self.blocks) if block.parent < 0]
        if self.grain == "file":
            self._file_entry(top)
        for place, i in enumerate(top):
            block = self.blocks[i]
            if block.start < until:
                continue
            above, comment = comment, -1
            if block.type == "comment":
                comment = i
                continue
            if block.type == "heading":
                words = self._heading_words(block)
                while headings and headings[-1][0] >= block.level:
                    headings.pop()
                if block.level == 1 and not title:
                    title = words
                if self.grain == "heading" and block.level > 1 and _CLOCK.match(words):
                    until = self._heading_entry(top, place, words, tuple(h for _, h in headings))
                headings.append((block.level, words))
                continue
            if block.type == "rule":
                continue
            context = tuple(h for _, h in headings)
            if block.type == "item":
                self._item(i, context)
            else:
                self._block(block, context, self._leading_marker(above, block))
        return title

    def _heading_words(self, block: Block) -> str:
        if block.end - block.start == 1:
            return plain_heading(self.bare[block.start])
        return plain_heading(" ".join(self.bare[block.start : block.end - 1]))  # setext: the last line underlines it

    def _leading_marker(self, above: int, block: Block) -> tuple[int, Found] | None:
        if above < 0 or self.blocks[above].end != block.start:
            return None
        line = self.blocks[above].end - 1
        found = find(self.bare[line])
        return (line, found) if found and not self.bare[line][: found.start].strip() else None

    def _file_entry(self, top: list[int]) -> None:
        head = next(
            (self.blocks[i] for i in top if self.blocks[i].type == "heading" and self.blocks[i].level == 1), None
        )
        marker, words, start, above = None, "", self.first, False
        if head is not None:
            start, words = head.start, plain_heading(self.bare[head.start])
            marker = found.marker if (found := find(self.bare[head.start])) else None
        elif self._comment_alone(top) and (found := find(self.bare[self.blocks[top[0]].start])):
            marker, start, above = found.marker, self.blocks[top[0]].start, True
        end = len(self.bare)
        while end > start and not self.bare[end - 1].strip():
            end -= 1
        self.found.append(("file", words, (), marker, Span(start, end, ((start, end),), above=above)))

    def _comment_alone(self, top: list[int]) -> bool:
        """Whether the file begins with a comment that is not right above a block, whose marker it would be."""
        if not top or self.blocks[top[0]].type != "comment":
            return False
        return len(top) == 1 or self.blocks[top[1]].start > self.blocks[top[0]].end

    def _heading_entry(self, top: list[int], place: int, words: str, context: tuple[str, ...]) -> int:
        block = self.blocks[top[place]]
        end = len(self.bare)
        for i in top[place + 1 :]:
            if self.blocks[i].type == "heading" and self.blocks[i].level <= block.level:
                end = self.blocks[i].start
                break
        ours = {b: a for a, b in self.ours}
        last = end
        while last > block.end and (last in ours or not self.bare[last - 1].strip()):
            last = ours.get(last, last - 1)
        holes = [span for span in self.ours if block.end <= span[0] < last]
        edges = [block.start, *(k for hole in holes for k in hole), last]
        own = tuple((a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b)
        lines = [self.bare[k] for a, b in own for k in range(a, b)][block.end - block.start :]
        found = find(self.bare[block.start])
        text = "\n".join([words, *([unguarded(self._unescaped("\n".join(lines)), block.level)] if lines else [])])
        span = Span(block.start, last, own, prefix="#" * block.level + " ")
        self.found.append(("heading", text, context, found.marker if found else None, span))
        return end

    def _block(self, block: Block, context: tuple[str, ...], leading: tuple[int, Found] | None) -> None:
        body = self.bare[block.start : block.end]
        marker, tail, start = None, "", block.start
        if leading:
            marker, start = leading[1].marker, leading[0]
        elif block.type in ("paragraph", "quote"):
            for k, line in enumerate(body):
                if found := find(line):
                    marker = found.marker
                    body[k] = line[: found.start].rstrip() + line[found.end :].rstrip()
                    break
        if block.type == "paragraph":
            grain = (
                "block"
                if len(body) > 1 and "|" in body[0] and _DELIMITER_ROW.match(body[1]) and "-" in body[1]
                else "paragraph"
            )
            if match := _TAIL.search(body[0]):
                tail, body[0] = match[0].strip(), body[0][: match.start()]
            text = "\n".join(line.strip() for line in body).strip()
        else:
            grain, text = "block", "\n".join(body)
        if not text:
            return
        text = text if block.type in ("fence", "code") else self._unescaped(text)
        span = Span(start, block.end, ((start, block.end),), tail=tail, above=leading is not None)
        self.found.append((grain, text, context, marker, span))

    def _item(self, index: int, context: tuple[str, ...]) -> list[int]:
        """An item, and each item nested in it that is an entry of its own: one with a marker, or one under a hand-typed
        item without marker; what else stands in a marked item is part of its text. An empty bullet is no entry.

        Returns the indices of what became entries on this level.
        """
        block = self.blocks[index]
        if block.end - block.start == 1 and len(self.children.get(index, ())) == 1:
            line = self.bare[block.start]
            if line[:2] == "- " and line[2:3].isalpha() and HINT not in line and "&" not in line:
                here = (block.start, block.end)
                self.found.append(("bullet", line[2:].strip(), context, None, Span(*here, (here,), (), 2, "- ")))
                return [len(self.found) - 1]
        found, at = self._item_marker(index)
        inner: list[int] = []
        self._own_entries(index, found is not None, block.start, inner)
        taken = [(self.blocks[c].start, self.blocks[c].end) for c in inner]
        own = tuple(_without(block.start, block.end, taken, self.bare))
        own_lines = [(k, self.bare[k]) for a, b in own for k in range(a, b)]
        prefix, tail, text = self._item_text(block, own_lines, found, at)
        if not text and not found:
            return [entry for child in inner for entry in self._item(child, context)]
        place = len(self.found)
        span = Span(block.start, block.end, own, (), block.indent, prefix, tail)
        self.found.append(("bullet", text, context, found.marker if found else None, span))
        if inner:
            under = (*context, plain_heading(_BULLET.sub("", self.bare[block.start], count=1)))
            nested = tuple(entry for child in inner for entry in self._item(child, under))
            self.found[place] = (*self.found[place][:4], replace(span, nested=nested))
        return [place]

    def _own_entries(self, index: int, marked: bool, line: int, out: list[int]) -> None:
        for child in self.children.get(index, ()):
            block = self.blocks[child]
            if block.type != "item":
                continue
            if block.start == line:  # `- - a`: one line, one entry
                self._own_entries(child, True, line, out)
            elif not marked or self._item_marker(child)[0] is not None:
                out.append(child)
            else:
                self._own_entries(child, True, line, out)

    def _item_marker(self, index: int) -> tuple[Found | None, int]:
        """On the first line, or where an editor wrapped it to: later in the first paragraph, or just below it."""
        block = self.blocks[index]
        if found := find(self.bare[block.start]):
            return found, block.start
        parts = [self.blocks[child] for child in self.children.get(index, ())[:2]]
        if not parts or parts[0].type != "paragraph":
            return None, -1
        below = len(parts) > 1 and parts[1].type == "comment" and parts[1].start == parts[0].end
        for k in range(parts[0].start, parts[0].end + below):
            if HINT in self.bare[k] and (found := find(self.bare[k])):
                return found, k
        return None, -1

    def _item_text(
        self, block: Block, own_lines: list[tuple[int, str]], found: Found | None, at: int
    ) -> tuple[str, str, str]:
        head = own_lines[0][1]
        if found and at == block.start:
            head = head[: found.start].rstrip() + head[found.end :].rstrip()
        match = _BULLET.match(head)
        prefix = match[0] if match else ""
        rest = head[len(prefix) :]
        if box := TASK_BOX.match(rest):
            prefix, rest = prefix + box[0], rest[box.end() :]
        elif GUARDED_BOX.match(rest):
            rest = rest[1:]
        tail = ""
        if HINT in rest and (match := _TAIL.search(rest)):
            tail, rest = match[0].strip(), rest[: match.start()]
        rest = rest.strip()
        if len(own_lines) == 1:
            return prefix, tail, unescape(rest)
        parts = [rest]
        for k, line in own_lines[1:]:
            if found and at == k:
                line = line[: found.start].rstrip() + line[found.end :].rstrip()
                if not line:
                    continue
            parts.append(dedent(line, block.indent) if line.strip() else "")
        return prefix, tail, self._unescaped("\n".join(parts).strip("\n"))

    def _unescaped(self, text: str) -> str:
        return unescaped(text) if "&" in text and _ESCAPED.search(text) else text

    # -- ids -----------------------------------------------------------------------------------------------------

    def _with_ids(self) -> tuple[list[Entry], dict[str, list[int]]]:
        taken = {marker.id for _, _, _, marker, _ in self.found if marker and marker.valid}
        seen: Counter[str] = Counter()
        entries: list[Entry] = []
        by_id: dict[str, list[int]] = {}
        whole: Mapping[str, str] = NO_ATTRIBUTES
        for grain, text, context, marker, span in self.found:
            basis = text if grain != "file" else "\x01file"
            key = folded(basis)
            self.folds.append(key if grain != "file" else folded(text))
            occurrence = seen[key]
            seen[key] += 1
            stamped = False
            if marker is not None and marker.valid:
                stamped, entry_id = True, marker.id
            else:
                entry_id = mint(self.path, basis, occurrence)
                while entry_id in taken:  # stamped elsewhere in the file: the next occurrence is free
                    occurrence += 1
                    entry_id = mint(self.path, basis, occurrence)
                taken.add(entry_id)
            by_id.setdefault(entry_id, []).append(len(entries))
            attributes = marker.attributes if marker else whole
            if grain == "file" and stamped:
                # What a tool wrote as one file is of one origin: its blocks say what the file's marker says.
                whole = {k: v for k, v in attributes.items() if k in ("at", "src", "conf", "ev", "exp", "from", "to")}
                whole["trust"] = attributes.get("trust", "derived")
            entries.append(Entry(entry_id, text, grain, span.start + 1, context, attributes, stamped))
        return entries, by_id


def _without(start: int, end: int, taken: list[tuple[int, int]], bare: list[str]) -> Iterator[tuple[int, int]]:
    """[start, end) less the taken ranges, trailing blank lines of each piece left out."""
    at = start
    for a, b in [*sorted(taken), (end, end)]:
        last = a
        while last > at and not bare[last - 1].strip():
            last -= 1
        if last > at:
            yield at, last
        at = max(at, b)
