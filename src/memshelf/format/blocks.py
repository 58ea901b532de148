"""The block structure of a markdown file (CommonMark 0.31, section 4 and 5), line by line, without inline syntax.

Link reference definitions count as paragraphs: to a memory they are text. Where markdown-it-py and the specification
part ways, markdown-it-py is followed and the place says so. Each line is met once, at most `DEEPEST` containers deep.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

DEEPEST = 100
"""Containers nested deeper than this are text, so that no line costs more than this many steps."""

_PLAIN_BULLET = re.compile(r"[-*+] (?:[\[(]|(?:\*\*|`)?[^\W\d_])")
"""A bullet at the margin whose words open no other block: most lines of most files."""
_SPACES = re.compile(r"[ \t]*")
_ATX = re.compile(r"(#{1,6})(?:[ \t]|$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_SETEXT = re.compile(r"(?:=+|-+)[ \t]*$")
_MARK = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t]|$)")
_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
# Possessive, so that a failing tag is given up in one go. The one thing that markdown-it-py sees otherwise: a no-break
# space (or its like) in an unquoted value may to it also end the value, at the price of exponential time.
_ATTRIBUTE = r"""\s++[a-zA-Z_:][a-zA-Z0-9:._-]*+(?:\s*+=\s*+(?:[^"'=<>`\x00-\x20]++|'[^']*+'|"[^"]*+"))?+"""
_HTML: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    (re.compile(r"<(?ai:script|pre|style|textarea)(?=\s|>|$)"), re.compile(r"</(?ai:script|pre|style|textarea)>")),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?ai:{_BLOCK_TAGS})(?=\s|/?>|$)"), None),
    (re.compile(rf"(?:<[A-Za-z][A-Za-z0-9-]*+(?:{_ATTRIBUTE})*+\s*+/?>|</[A-Za-z][A-Za-z0-9-]*+\s*+>)\s*+$"), None),
)
"""How each kind of HTML block starts, and what ends it on the same line or a later one; None: the next blank line."""
_COMMENT = 1
_ANY_TAG = 6
_SPECIAL = frozenset(">#`~<=-_*+0123456789")
"""What a line that is more than text of a paragraph can begin with."""


class Block(NamedTuple):
    """One block; line numbers are indices into the scanned lines."""

    type: str
    """heading, paragraph, fence, code (indented), html, comment, rule, quote or item."""
    start: int
    end: int
    """One past its last line; lines at its end that are blank to its container do not count."""
    level: int
    """Heading: 1 to 6; else 0."""
    parent: int
    """Index of the enclosing item or quote; -1 at the top."""
    indent: int
    """Item: the absolute column (tabs to 4) at which its content starts; else 0."""
    closed: bool
    """False for a fence or HTML block that its container's end cut off."""


def scan(lines: Sequence[str], first: int = 0) -> list[Block]:
    """Every block from line `first` on, in document order, parents before children. Lines come without their ends."""
    return _Scanner().run(lines, first)


class _Scanner:
    """The blocks so far, as columns (many small lists are what the garbage collector is slow at), and what is open.

    Of a line: `i`, where what no container took begins behind white space; `s`, the column of `i`, counted from the
    innermost quote's content; `need`, the column that the innermost item in that quote asks for (0: none is there).
    """

    def __init__(self) -> None:
        self.types: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.levels: list[int] = []
        self.parents: list[int] = []
        self.indents: list[int] = []
        self.closed: list[bool] = []
        self.stack: list[tuple[int, int, int]] = []
        """Open containers: index of the block, its `need`, the `need` around it. A quote has 0, an item at least 2."""
        self.quotes: list[int] = []
        """Where in the stack the quotes are."""
        self.leaf = -1  # index of the open paragraph, fence, code, html or comment
        self.fence = ""  # the run that opened it
        self.html_end: re.Pattern[str] | None = None
        self.blank = False  # whether the last line was blank
        self.shift = self.origin = 0  # column of the innermost quote's content in this line: for tabs, and the true one
        self.tails: dict[str, int] = {}  # by character: from where on this line holds only it and white space

    def run(self, lines: Sequence[str], first: int) -> list[Block]:
        types, starts, ends, parents, stack = self.types, self.starts, self.ends, self.parents, self.stack
        plain = _PLAIN_BULLET.match
        for n in range(first, len(lines)):
            line = lines[n]
            if plain(line) and (stack or self.leaf < 0 or types[self.leaf] == "paragraph"):
                place = len(types)  # it continues no container: nothing of what is open needs a look
                types += ("item", "paragraph")
                starts += (n, n)
                ends += (n + 1, n + 1)
                self.levels += (0, 0)
                parents += (-1, place)
                self.indents += (2, 0)
                self.closed += (True, True)
                stack[:] = ((place, 2, 0),)
                if self.quotes:
                    self.quotes.clear()
                self.leaf = place + 1
                self.blank = False
            elif line or not self.blank:
                self._line(n, line)
        for place in range(len(parents) - 1, -1, -1):  # children first: a container ends no sooner than what it holds
            parent = parents[place]
            if parent >= 0 and ends[parent] < ends[place]:
                ends[parent] = ends[place]
        rows = zip(types, starts, ends, self.levels, parents, self.indents, self.closed, strict=True)
        make = tuple.__new__  # what `Block` itself calls, in a third of the time
        return [make(Block, row) for row in rows]

    # -- one line ------------------------------------------------------------------------------------------------

    def _line(self, n: int, line: str) -> None:
        i, s = _skip(line, 0, 0)
        if i == len(line) and self.blank:
            return  # the blank line before has closed whatever this one would
        self.blank = i == len(line)
        if self.tails:
            self.tails = {}
        self.shift = self.origin = 0
        matched = quotes = need = 0
        for block, asked, _ in self.stack:
            if asked == 0:
                # markdown-it-py goes on with a quote at any indent; the specification stops at three columns.
                if s < need or line[i : i + 1] != ">":
                    break
                i, s = self._past_mark(line, i, s)
                self.ends[block] = n + 1
                quotes += 1
            elif i == len(line):
                if len(self.types) == block + 1:
                    break  # an item that began with a blank line cannot have a second one
            elif s < asked:
                break
            need = asked
            matched += 1
        blank = i == len(line)
        kind = self.types[self.leaf] if self.leaf >= 0 else ""
        if kind == "paragraph":
            if not blank and self._in_paragraph(n, line, i, s, matched, quotes):
                return
        elif kind and matched == len(self.stack) and self._in_verbatim(n, line, i, s - need, kind):
            return
        self._close(matched)
        if not blank:
            self._start(n, line, i, s, need)

    def _in_paragraph(self, n: int, line: str, i: int, s: int, matched: int, quotes: int) -> bool:
        """Whether the open paragraph takes the line, as text or as the line under a heading."""
        if line[i] in _SPECIAL:
            _, need, around = self.stack[-1] if self.stack else (-1, 0, 0)
            if matched == len(self.stack):
                if s - need <= 3 and _SETEXT.match(line, i):
                    self.types[self.leaf] = "heading"
                    self.levels[self.leaf] = 1 if line[i] == "=" else 2
                    self.ends[self.leaf] = n + 1
                    self.leaf = -1
                    return True
                if self._interrupts(line, i, s, need, around, matched, paragraph=True):
                    return False
            elif quotes == len(self.quotes):
                # Lazy continuation. The specification counts the indent from where the line has left the containers,
                # markdown-it-py from the innermost item.
                if self._interrupts(line, i, s, need, around, matched):
                    return False
            else:
                at = self.quotes[quotes]
                _, need, around = self.stack[at - 1] if at else (-1, 0, 0)
                if self._interrupts(line, i, s, need, around, matched):
                    return False
                # In the second quote that a line has left, markdown-it-py no longer minds how far it is indented.
                if quotes + 1 < len(self.quotes) and self._interrupts(line, i, -1, 0, 0, matched):
                    return False
        self.ends[self.leaf] = n + 1
        return True

    def _interrupts(
        self, line: str, i: int, s: int, need: int, around: int, depth: int, paragraph: bool = False
    ) -> bool:
        """Whether the line ends the open paragraph; `paragraph`: it has left no container, so not every item does."""
        if s - need > 3:
            return False
        char = line[i]
        if char == ">":
            return depth < DEEPEST
        if char == "#":
            return _ATX.match(line, i) is not None
        if char in "`~":
            return _FENCE.match(line, i) is not None
        if char == "<":
            return -1 < _html_kind(line, i) < _ANY_TAG
        if char in "*_-" and self._is_rule(line, i):
            return True
        if depth >= DEEPEST or (s < need and s - around > 3):  # it has left one list and is too far in for the next
            return False
        match = _MARK.match(line, i)
        if match is None or not paragraph:
            return match is not None
        return (match[1] is None or int(match[1]) == 1) and _skip(line, match.end(), 0)[0] < len(line)

    def _in_verbatim(self, n: int, line: str, i: int, indent: int, kind: str) -> bool:
        """Whether the open fence, code or HTML block takes the line."""
        blank = i == len(line)
        if kind == "code":
            if not blank and indent < 4:
                return False
        elif kind == "fence":
            if indent <= 3 and line.startswith(self.fence, i) and not line[i:].lstrip(self.fence[0]).strip(" \t"):
                self._end_verbatim(n)
                return True
        elif self.html_end is None:
            if blank:
                return False
        elif self.html_end.search(line, i):
            self._end_verbatim(n)
            return True
        if not blank:
            self.ends[self.leaf] = n + 1
        return True

    def _end_verbatim(self, n: int) -> None:
        self.ends[self.leaf], self.closed[self.leaf], self.leaf = n + 1, True, -1

    def _start(self, n: int, line: str, i: int, s: int, need: int) -> None:
        """Open the blocks that begin in what the open containers leave of the line, which is not blank."""
        while i < len(line):
            char = line[i]
            if s - need > 3:
                self._leaf("code", n)
            elif char not in _SPECIAL:
                self._leaf("paragraph", n)
            elif char == ">" and len(self.stack) < DEEPEST:
                self._push("quote", n, 0, 0)
                i, s = self._past_mark(line, i, s)
                need = 0
                continue
            elif char == "#" and (match := _ATX.match(line, i)):
                self._leaf("heading", n, len(match[1]))
                self.leaf = -1
            elif char in "`~" and (match := _FENCE.match(line, i)):
                self.fence = match[1] or match[2]
                self._leaf("fence", n, closed=False)
            elif char == "<" and (kind := _html_kind(line, i)) >= 0:
                self.html_end = _HTML[kind][1]
                self._leaf("comment" if kind == _COMMENT else "html", n, closed=self.html_end is None)
                if self.html_end and self.html_end.search(line, i):
                    self._end_verbatim(n)
            elif char in "*_-" and self._is_rule(line, i):
                self._leaf("rule", n)
                self.leaf = -1
            elif len(self.stack) < DEEPEST and (match := _MARK.match(line, i)):
                s += match.end() - i
                i, width = _skip(line, match.end(), self.shift + s)
                # Content behind five columns or more is indented code, which starts one column after the mark.
                inner = s + (width if i < len(line) and width <= 4 else 1)
                self._push("item", n, inner, need)
                s, need = s + width, inner
                continue
            else:
                self._leaf("paragraph", n)
            return

    # -- parts of a line -----------------------------------------------------------------------------------------

    def _past_mark(self, line: str, i: int, s: int) -> tuple[int, int]:
        """`i` and `s` behind the quote mark at `i` and the column of white space that belongs to it."""
        i, width = _skip(line, i + 1, self.shift + s + 1)
        own = 1 + (width > 0)
        self.origin += s + own
        # By the specification this is the origin too; markdown-it-py forgets the quotes around when it counts tabs.
        self.shift = s + own
        return i, width - own + 1

    def _is_rule(self, line: str, i: int) -> bool:
        char = line[i]
        if line[-1] not in (char, " ", "\t"):
            return False
        if char not in self.tails:
            self.tails[char] = len(line.rstrip(char + " \t"))
        return self.tails[char] <= i and line.count(char, i) >= 3

    # -- containers and leaves -----------------------------------------------------------------------------------

    def _push(self, kind: str, n: int, need: int, around: int) -> None:
        self._leaf(kind, n)
        self.leaf = -1
        if need:
            self.indents[-1] = self.origin + need
        else:
            self.quotes.append(len(self.stack))
        self.stack.append((len(self.types) - 1, need, around))

    def _leaf(self, kind: str, n: int, level: int = 0, closed: bool = True) -> None:
        self.leaf = len(self.types)
        self.types.append(kind)
        self.starts.append(n)
        self.ends.append(n + 1)
        self.levels.append(level)
        self.parents.append(self.stack[-1][0] if self.stack else -1)
        self.indents.append(0)
        self.closed.append(closed)

    def _close(self, depth: int) -> None:
        """Close the open leaf and every container deeper than `depth`."""
        self.leaf = -1
        if len(self.stack) > depth:
            del self.stack[depth:]
            while self.quotes and self.quotes[-1] >= depth:
                self.quotes.pop()


def _html_kind(line: str, i: int) -> int:
    """Index in `_HTML` of the block that starts there; -1: none does."""
    return next((kind for kind, (start, _) in enumerate(_HTML) if start.match(line, i)), -1)


def _skip(line: str, i: int, column: int) -> tuple[int, int]:
    """Index behind the white space at `i`, and its width if it begins in `column`."""
    if line[i : i + 1] not in (" ", "\t"):
        return i, 0
    gap = _SPACES.match(line, i)[0]  # pyright: ignore[reportOptionalSubscript] it matches anything
    if "\t" not in gap:
        return i + len(gap), len(gap)
    return i + len(gap), len((" " * (column % 4) + gap).expandtabs(4)) - column % 4
