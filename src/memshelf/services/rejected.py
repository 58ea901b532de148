"""Values that were found wrong: `REJECTED.md` of a store and its frozen rejected notes. No door lets them in again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from memshelf.domain.entry import Entry
from memshelf.domain.kinds import load
from memshelf.domain.skeleton import key
from memshelf.errors import PreviouslyRejected
from memshelf.format.document import Document
from memshelf.format.rejected import Row, rows
from memshelf.store.store import Store

PATH = "REJECTED.md"
KIND = "rejected"


class Value(NamedTuple):
    """A rejected value as it stands in a store: where, and its row."""

    address: str
    row: Row


@dataclass(frozen=True, slots=True)
class Rejections:
    """Every rejected value of some stores, by key."""

    values: dict[str, Value]

    def of(self, entry: Entry) -> Value | None:
        """The rejected value that an entry says, as a whole or as one of its lines; None where it says none."""
        if not self.values:
            return None
        return next((self.values[k] for text in said(entry) if (k := key(text)) in self.values), None)

    def check(self, before: Document | None, after: Document) -> None:
        """
        Raises:
            PreviouslyRejected: an entry that is new or reworded in `after` says a rejected value.
        """
        if not self.values:
            return
        known = {(entry.id, entry.text) for entry in before.entries} if before else set()
        texts = {entry.text for entry in before.entries} if before else set()
        whole = body(after) if after.entries and after.entries[0].grain == "file" else ""
        if whole and (k := key(whole)) in self.values and not (before and body(before) == whole):
            raise refusal(self.values[k])
        for entry in after.entries:
            if (entry.id, entry.text) not in known and (found := self.of(entry)) and entry.text not in texts:
                raise refusal(found)


def refusal(found: Value) -> PreviouslyRejected:
    row = found.row
    when = row.when.partition("T")[0]
    why = f": {row.reason}" if row.reason else ""
    return PreviouslyRejected(
        f"This was {'forgotten' if not row.text else 'rejected'} by {row.who or 'a person'} "
        f"{f'on {when} ' if when else ''}({found.address}, key {row.key}){why}.",
        f'Say what is true instead; a person takes the rejection back with `memshelf lift {row.key} --reason "..."`.',
        key=row.key,
    )


def said(entry: Entry) -> Iterator[str]:
    """The statements that an entry makes: its text, and each of its lines without their bullets."""
    yield entry.text
    lines = entry.text.split("\n")
    if len(lines) > 1:
        if entry.grain == "heading":
            yield "\n".join(lines[1:])
        yield from (line for raw in lines if (line := raw.strip().lstrip("-*+>#0123456789. ").strip()))


def rejections(stores: Iterable[Store]) -> Rejections:
    """The values that none of the stores lets in.

    Raises:
        Unreadable: a REJECTED.md is there and cannot be read, so nothing can be told to be new.
    """
    found: dict[str, Value] = {}
    for store in stores:
        for row in _rows(store.raw(PATH)):
            found.setdefault(row.key, Value(store.address(PATH), row))
        for path in noted(store):
            read = store.read(path)
            if read is None:
                continue
            for text in values(read.document):
                row = Row(text, "", "a person", "", key(text))
                found.setdefault(row.key, Value(store.address(path), row))
    return Rejections(found)


def named(stores: Iterable[Store], which: str) -> Row | None:
    """The row of REJECTED.md that a key, or the id of the entry that said it, names."""
    wanted = which.strip().rpartition("#")[2].lower()
    return next((row for s in stores for row in _rows(s.raw(PATH)) if wanted and wanted in (row.key, row.id)), None)


def noted(store: Store) -> list[str]:
    """The files of kind rejected in a store."""
    pattern = load()[KIND].path
    folder = pattern.partition("/{")[0].replace("{state}", KIND)
    if store.scope not in load()[KIND].stores or not (store.root / folder).is_dir():
        return []
    return [path for path in store.paths(under=folder) if store.place(path).kind == KIND]


def values(document: Document) -> Sequence[str]:
    """What a rejected note rejects: its whole text, its first statement, and its title where that is one."""
    blocks = [entry for entry in document.entries if entry.grain != "file"]
    whole = body(document)
    title = document.title if len(document.title.split()) > 2 else ""
    return [text for text in (whole, blocks[0].text if blocks else "", title) if text]


def body(document: Document) -> str:
    """What a file says under its title."""
    text = "\n".join(line.rstrip("\r\n") for line in document.lines[document.first :])
    return text.partition("\n")[2].strip() if document.title else text.strip()


@lru_cache(8)
def _rows(data: bytes | None) -> tuple[Row, ...]:
    return rows(data)
