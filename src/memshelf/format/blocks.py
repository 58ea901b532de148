"""The block structure of a markdown file (CommonMark 0.31, section 4 and 5), line by line, without inline syntax.

Link reference definitions count as paragraphs: to a memory they are text. Source: the algorithm of the CommonMark
specification's appendix "A parsing strategy".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

DEEPEST = 50
"""Containers nested deeper than this are text, so that no input costs more than this per line."""

_RULE = re.compile(r"(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$|(?:-[ \t]*){3,}$")
_ATX = re.compile(r"(#{1,6})(?:[ \t]|$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_SETEXT = re.compile(r"(=+|-+)[ \t]*$")
_MARK = re.compile(r"([-+*])|(\d{1,9})([.)])")
_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE = r"""[ \t]+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:[ \t]*=[ \t]*(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*"))?"""
_HTML = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_BLOCK_TAGS})(?=\s|/?>|$)", re.I), None),
    (re.compile(rf"(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*[ \t]*/?>|</[A-Za-z][A-Za-z0-9-]*[ \t]*>)\s*$"), None),
)
_COMMENT = 1
_ANY_TAG = 6
_SPECIAL = frozenset(">#`~<=-_*+0123456789")


class Block(NamedTuple):
    """One block; line numbers are indices into the scanned lines."""

    type: str
    """heading, paragraph, fence, code (indented), html, comment, rule, quote or item."""
    start: int
    end: int
    """One past its last line; blank lines at its end do not count."""
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
    return _Scanner(lines, first).run()


class _Open:
    """A container that is still open."""

    __slots__ = ("block", "offset", "quote", "started")

    def __init__(self, block: int, quote: bool, offset: int = 0, started: bool = True) -> None:
        self.block, self.quote, self.offset, self.started = block, quote, offset, started
        # offset: columns that continue an item; started: an item that has content (one blank line ends an empty one)


class _Scanner:
    def __init__(self, lines: Sequence[str], first: int) -> None:
        self.lines, self.first = lines, first
        self.out: list[list] = []
        self.stack: list[_Open] = []
        self.leaf = -1  # index in out of the open leaf: paragraph, fence, html or code
        self.fence = ("", 0)
        self.html_end: re.Pattern[str] | None = None
        self.i = self.col = 0

    def run(self) -> list[Block]:
        out, lines = self.out, self.lines
        for n in range(self.first, len(lines)):
            line = lines[n]
            if (
                line[:2] == "- "
                and line[2:3].isalpha()
                and (self.stack or self.leaf < 0 or out[self.leaf][0] in ("paragraph", "code"))
            ):
                # The common case: a bullet at the margin continues no container and its words open no other block.
                self._close(0)
                place = len(out)
                out.append(["item", n, n + 1, 0, -1, 2, True])
                out.append(["paragraph", n, n + 1, 0, place, 0, True])
                self.stack.append(_Open(place, False, 2))
                self.leaf = place + 1
            else:
                self._line(n, line)
        self._close(0)
        return [Block(*row) for row in out]

    # -- one line ------------------------------------------------------------------------------------------------

    def _line(self, n: int, line: str) -> None:
        self.i = self.col = 0
        matched = 0
        for open_ in self.stack:
            ns, nscol = self._skip(line)
            if open_.quote:
                if nscol - self.col > 3 or line[ns : ns + 1] != ">":
                    break
                self.i, self.col = ns + 1, nscol + 1
                self._eat(line, 1)
            elif ns == len(line):
                if not open_.started:
                    break
                self.i, self.col = ns, nscol
            elif nscol - self.col >= open_.offset:
                self._eat(line, open_.offset)
            else:
                break
            matched += 1
        whole = matched == len(self.stack)
        kind = self.out[self.leaf][0] if self.leaf >= 0 else ""
        if whole and kind in ("fence", "html", "comment", "code") and self._continues(n, line, kind):
            return
        if whole and kind not in ("paragraph", ""):
            kind = ""
        self._starts(n, line, matched, whole, kind == "paragraph")

    def _starts(self, n: int, line: str, matched: int, whole: bool, open_paragraph: bool) -> None:
        in_paragraph = whole and open_paragraph  # the line would continue it
        lazy = open_paragraph and not whole
        while True:
            ns, nscol = self._skip(line)
            if ns == len(line):
                self._close(matched)
                return
            indent = nscol - self.col
            if indent >= 4:
                if in_paragraph or lazy:
                    self.out[self.leaf][2] = n + 1
                    return
                self._close(matched)
                self._leaf("code", n)
                return
            char = line[ns]
            if char not in _SPECIAL:
                break
            deep = len(self.stack) if whole else matched
            if char == ">" and deep < DEEPEST:
                self._close(matched)
                self._push(n, True)
                self.i, self.col = ns + 1, nscol + 1
                self._eat(line, 1)
            elif char == "#" and (match := _ATX.match(line, ns)):
                self._close(matched)
                self._leaf("heading", n, level=len(match[1]), keep=False)
                return
            elif char in "`~" and (match := _FENCE.match(line, ns)):
                self._close(matched)
                self.fence = (char, len(match[1] or match[2]))
                self._leaf("fence", n, closed=False)
                return
            elif char == "<" and self._html(n, line, ns, matched, in_paragraph or lazy):
                return
            elif in_paragraph and char in "=-" and (match := _SETEXT.match(line, ns)):
                row = self.out[self.leaf]
                row[0], row[2], row[3] = "heading", n + 1, 1 if char == "=" else 2
                self._finish()
                return
            elif char in "*_-" and _RULE.match(line, ns):
                self._close(matched)
                self._leaf("rule", n, keep=False)
                return
            elif deep < DEEPEST and self._item(n, line, ns, nscol, matched, in_paragraph):
                pass
            else:
                break
            matched, whole, in_paragraph, lazy = len(self.stack), True, False, False
        if in_paragraph or lazy:
            self.out[self.leaf][2] = n + 1
            return
        self._close(matched)
        self._leaf("paragraph", n)

    def _continues(self, n: int, line: str, kind: str) -> bool:
        row = self.out[self.leaf]
        ns, nscol = self._skip(line)
        blank = ns == len(line)
        if kind == "code":
            if blank:
                return True
            if nscol - self.col >= 4:
                row[2] = n + 1
                return True
            self._finish()
            return False
        if kind == "fence":
            char, length = self.fence
            if nscol - self.col <= 3 and line[ns : ns + 1] == char:
                rest = line[ns:].lstrip(char)
                if len(line) - ns - len(rest) >= length and not rest.strip(" \t"):
                    row[2], row[6] = n + 1, True
                    self._finish()
                    return True
            if not blank:
                row[2] = n + 1
            return True
        if self.html_end is None:
            if blank:
                self._finish()
                return False
            row[2] = n + 1
            return True
        if not blank:
            row[2] = n + 1
        if self.html_end.search(line, self.i):
            row[2], row[6] = n + 1, True
            self._finish()
        return True

    def _html(self, n: int, line: str, ns: int, matched: int, paragraph: bool) -> bool:
        for number, (start, end) in enumerate(_HTML):
            if start.match(line, ns):
                if number == _ANY_TAG and paragraph:
                    return False
                self._close(matched)
                self.html_end = end
                self._leaf("comment" if number == _COMMENT else "html", n, closed=end is None)
                if end is not None and end.search(line, ns):
                    self.out[self.leaf][6] = True
                    self._finish()
                return True
        return False

    def _item(self, n: int, line: str, ns: int, nscol: int, matched: int, in_paragraph: bool) -> bool:
        match = _MARK.match(line, ns)
        if not match:
            return False
        after = line[match.end() : match.end() + 1]
        if after not in ("", " ", "\t"):
            return False
        blank = not line[match.end() :].strip(" \t")
        if in_paragraph and (blank or (match[2] and int(match[2]) != 1)):
            return False
        self._close(matched)
        base = self.col
        width = match.end() - ns
        self.i, self.col = match.end(), nscol + width
        if blank:
            padding = width + 1
            self.i = len(line)
        else:
            _, content = self._skip(line)
            spaces = content - self.col
            if spaces >= 5:
                spaces = 1
            padding = width + spaces
            self._eat(line, spaces)
        self._push(n, False, nscol - base + padding, nscol + padding, started=not blank)
        return True

    # -- containers and leaves -----------------------------------------------------------------------------------

    def _push(self, n: int, quote: bool, offset: int = 0, indent: int = 0, started: bool = True) -> None:
        parent = self.stack[-1].block if self.stack else -1
        if self.stack:
            self.stack[-1].started = True
        self.out.append(["quote" if quote else "item", n, n + 1, 0, parent, indent, True])
        self.stack.append(_Open(len(self.out) - 1, quote, offset, started))
        self.leaf = -1

    def _leaf(self, kind: str, n: int, level: int = 0, closed: bool = True, keep: bool = True) -> None:
        parent = -1
        if self.stack:
            parent = self.stack[-1].block
            self.stack[-1].started = True
        self.out.append([kind, n, n + 1, level, parent, 0, closed])
        self.leaf = len(self.out) - 1 if keep else -1
        if parent >= 0 and self.out[parent][2] < n + 1:
            self.out[parent][2] = n + 1

    def _close(self, depth: int) -> None:
        """Close the open leaf and every container deeper than `depth`; ends reach up from the last leaf."""
        self._finish()
        while len(self.stack) > depth:
            self._lift(self.stack.pop().block)

    def _finish(self) -> None:
        if self.leaf >= 0:
            self._lift(self.leaf)
            self.leaf = -1

    def _lift(self, index: int) -> None:
        row = self.out[index]
        parent = row[4]
        if parent >= 0 and self.out[parent][2] < row[2]:
            self.out[parent][2] = row[2]

    # -- columns -------------------------------------------------------------------------------------------------

    def _skip(self, line: str) -> tuple[int, int]:
        """Index and column of the next character that is neither space nor tab."""
        i, col = self.i, self.col
        size = len(line)
        while i < size:
            char = line[i]
            if char == " ":
                col += 1
            elif char == "\t":
                col += 4 - col % 4
            else:
                break
            i += 1
        return i, col

    def _eat(self, line: str, width: int) -> None:
        """Go on by up to `width` columns of white space; a tab may be taken in part."""
        while width > 0 and self.i < len(line):
            char = line[self.i]
            if char == " ":
                self.i += 1
                self.col += 1
                width -= 1
            elif char == "\t":
                step = 4 - self.col % 4
                if step > width:
                    self.col += width
                    return
                self.i += 1
                self.col += step
                width -= step
            else:
                return
