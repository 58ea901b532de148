"""A change of several files as one: recorded whole before the first is written, so that a killed one can be finished.

The record, `.local/begun.json`, is there while its change is under way and no longer. It stands in the store that is
changed, or in the user store where several are. Locks are held by the caller. Format: abi/LAYOUT.md.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from memshelf.errors import Refused, StoreTrouble, Unreadable
from memshelf.store import files
from memshelf.store.faults import step
from memshelf.store.journal import local_folder
from memshelf.store.store import Overtaken, Store

NAME = "begun.json"

Line = tuple[Store, Mapping[str, Any]]
"""A line for the journal of a store."""


@dataclass(frozen=True, slots=True)
class Write:
    """What one file was and becomes; None: no file."""

    store: Store
    path: str
    before: bytes | None
    after: bytes | None
    adds: bool = False
    """It only puts ended texts into the archive: harmless if nothing else of the change ever happens."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A write as a record has it: the store's label and root, the path, the hash of what was, and what shall be."""

    label: str
    root: Path
    path: str
    before: str
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Begun:
    """A change that somebody began and did not end."""

    writes: Sequence[Planned]
    lines: Sequence[tuple[str, dict[str, Any]]]
    """Of the journals: the label of the store, and the line."""

    @property
    def places(self) -> set[tuple[str, Path]]:
        return {(write.label, write.root) for write in self.writes}


def write(home: Store, writes: Sequence[Write], lines: Sequence[Line], thorough: bool = False) -> None:
    """Write each file that is still what it was planned on; all of them or none.

    A change of more than one file, or one that is `thorough`, leaves a record in `home` that `end` takes away.

    Raises:
        Overtaken: one of them is another by now; StoreTrouble: the disk. Nothing was written, or, where the disk does
            not take that back either, the record stays and `finish` ends what was begun.
    """
    recorded = thorough or sum(not one.adds for one in writes) > 1
    if recorded:
        _record(home, writes, lines)
    done: list[Write] = []
    try:
        for one in writes:
            one.store.put(one.path, one.before, one.after)
            done.append(one)
    except BaseException:
        if _taken_back(done) and recorded:
            end(home)
        raise


def end(home: Store) -> None:
    """Take the record away, where there is one."""
    path = _path(home)
    if path.exists():
        for _ in range(2):  # a disk that fails once may not the second time; what stays is ended by the next change
            with suppress(OSError):
                step("unlink")
                path.unlink(missing_ok=True)
                return


def pending(home: Store) -> bool:
    return _path(home).exists()


def begun(home: Store) -> Begun | None:
    """The change that is recorded in a store; None where there is none, or nothing that can be made sense of.

    A project's store may come from anybody, so its record names files of that store and of no other.
    """
    found = files.read(_path(home))
    if found is None:
        return None
    try:
        record = json.loads(found.data)
        writes = [_planned(row) for row in record["writes"]]
        lines = [(str(label), dict(line)) for label, line in record["lines"]]
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error):
        return None
    if home.scope != "user":
        writes = [Planned(home.label, home.root, one.path, one.before, one.after) for one in writes]
        lines = [(home.label, line) for _, line in lines]
    return Begun(writes, lines)


def finish(change: Begun, stores: Mapping[str, Store]) -> tuple[list[Write], list[str]]:
    """Write what a begun change has not written yet: what it wrote, and the addresses that somebody changed since.

    `stores`: by label, those that are there; the rest of the change is left out.

    Raises:
        StoreTrouble: the disk; the record stays.
    """
    done: list[Write] = []
    left: list[str] = []
    for one in change.writes:
        store = stores.get(one.label)
        if store is None:
            continue
        try:
            now = store.raw(one.path)
            if _hash(now) == one.before:
                store.put(one.path, now, one.after)
                done.append(Write(store, one.path, now, one.after))
            elif now != one.after:
                left.append(store.address(one.path))
        except (Overtaken, Refused):
            left.append(store.address(one.path))
    return done, left


def sweep(stores: Collection[Store]) -> None:
    """Remove what killed processes left beside any file of the stores: it holds what the file said.

    Raises:
        Unreadable: something of it cannot be removed.
    """
    for store in stores:
        try:
            files.sweep(store.root)
        except OSError as why:
            raise Unreadable(f"{store.root} cannot be tidied: {why}.", "Check the disk, then try again.") from why


def _path(home: Store) -> Path:
    return home.root / ".local" / NAME


def _record(home: Store, writes: Sequence[Write], lines: Sequence[Line]) -> None:
    rows = [
        {
            "store": one.store.label, "root": str(one.store.root), "path": one.path, "before": _hash(one.before),
            "after": None if one.after is None else base64.b64encode(one.after).decode(),
        }
        for one in writes
    ]  # fmt: skip
    record = {"writes": rows, "lines": [[store.label, dict(line)] for store, line in lines]}
    local_folder(home.root, ".local")
    files.edit(_path(home), lambda _: json.dumps(record).encode())


def _planned(row: Mapping[str, Any]) -> Planned:
    after = row["after"]
    data = None if after is None else base64.b64decode(after, validate=True)
    return Planned(str(row["store"]), Path(row["root"]), str(row["path"]), str(row["before"]), data)


def _hash(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _taken_back(done: Sequence[Write]) -> bool:
    """Give the files back what they held, but for what somebody has saved since; whether the disk let us."""
    for one in reversed(done):
        try:
            one.store.put(one.path, one.after, one.before)
        except Overtaken:
            continue
        except (StoreTrouble, OSError):
            return False
    return True
