"""A parsed markdown file: its entries with their ids, and where each stands. Knows nothing of how it was read.

Grammar of entries (abi/ENTRY.md): a list item, a paragraph, another block (fence, quote, table, HTML), a timed heading
with what stands under it (grain "heading"), or the whole file (grain "file") besides its blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memshelf.domain.entry import Entry
from memshelf.domain.text import folded
from memshelf.format.blocks import Block
from memshelf.format.marker import Marker


@dataclass(frozen=True, slots=True)
class Span:
    """Where an entry stands: indices into `Document.lines`."""

    start: int
    end: int
    own: tuple[tuple[int, int], ...]
    """The line ranges that are its own: [start, end) without entries nested in it."""
    nested: tuple[int, ...] = ()
    """Indices of entries that stand inside it."""
    indent: int = 0
    """List item: the column at which its content starts."""
    prefix: str = ""
    """List item: what stands before the text on its first line (bullet, task box)."""
    tail: str = ""
    """Foreign comments at the end of its first line."""
    above: bool = False
    """Whether its marker is a line of its own, the first of the span."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about ids in a file that a person should know of."""

    line: int
    what: str


@dataclass(frozen=True)
class Document:
    """One parsed file. `"".join(lines)` encoded is `data` again."""

    path: str
    """What ids are minted from: `user/` or `project/` and the path in the store."""
    grain: str
    data: bytes
    lines: tuple[str, ...]
    eol: str
    blocks: tuple[Block, ...]
    first: int
    """Index of the first line after the front matter."""
    title: str
    entries: tuple[Entry, ...]
    spans: tuple[Span, ...]
    markers: tuple[Marker | None, ...]
    """The marker as it stands, for stamped entries."""
    folds: tuple[str, ...] = field(repr=False)
    """The folded text of each entry."""
    _by_id: dict[str, list[int]] = field(repr=False)
    managed: tuple[tuple[int, int], ...] = ()
    """Line ranges of our own blocks, marks and all: no entry stands in them, and `blocks` has each as one comment."""

    def where(self, entry_id: str) -> list[int]:
        """Indices of the entries with that id; more than one is a copied line."""
        return self._by_id.get(entry_id, [])

    def saying(self, text: str) -> Entry | None:
        """The first entry, the file itself not counted, whose text folds to the same."""
        text = folded(text)
        return next(
            (e for e, fold in zip(self.entries, self.folds, strict=True) if fold == text and e.grain != "file"), None
        )

    def twins(self, index: int) -> list[int]:
        """Unstamped entries with the same folded text as entry `index`, which count on its place for their ids."""
        return self.alike(self.entries[index].text, index)

    def alike(self, text: str, index: int) -> list[int]:
        """Unstamped entries but `index` whose text folds to the same."""
        text = folded(text)
        return [
            i
            for i, entry in enumerate(self.entries)
            if i != index and not entry.stamped and entry.grain != "file" and self.folds[i] == text
        ]

    @property
    def ours(self) -> tuple[str, ...]:
        """Our own blocks as they stand, without byte order mark and last line end."""
        return tuple("".join(self.lines[a:b]).removeprefix("\ufeff").rstrip("\r\n") for a, b in self.managed)

    @property
    def one_liner(self) -> str:
        """The first paragraph under the title, folded to one line; the first entry's first line where there is none."""
        for entry in self.entries:
            if entry.grain != "file" and len(entry.headings) <= 1:
                return " ".join(entry.text.split())
        return ""


def problems(document: Document) -> list[Problem]:
    """What is wrong with the ids in a file, in line order; empty for a sound one."""
    out = [
        Problem(document.spans[i].start + 1, f"malformed id {marker.id!r}")
        for i, marker in enumerate(document.markers)
        if marker is not None and not marker.valid
    ]
    for entry_id, places in document._by_id.items():
        if len(places) > 1:
            lines = ", ".join(str(document.spans[i].start + 1) for i in places)
            out.append(Problem(document.spans[places[1]].start + 1, f"id {entry_id} stands on lines {lines}"))
    return sorted(out, key=lambda problem: problem.line)
