"""Evidence that names files of a repository: their blob hashes when it was given, and what changed since."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha1
from pathlib import Path

from memshelf.domain.entry import listed
from memshelf.format.marker import join
from memshelf.store.store import Store

GONE = "gone"
"""Stands for the hash of a file that was not there when the evidence was given."""
MOST = 8
"""Anchors kept of one entry."""
_LARGEST = 50_000_000
_PLACE = re.compile(r"(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?|::[\w:\[\].-]+)$")
_PATHLIKE = re.compile(r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}|(?:[\w.@+-]+/)+[\w.@+-]+")

_hashes: dict[tuple[str, int, int, int], str] = {}


def repository(store: Store) -> Path | None:
    """The folder that a store's evidence names files of: a project's own; None for the user store."""
    return store.root.parents[1] if store.scope == "project" else None


def anchors(evidence: str, root: Path | None) -> str:
    """The attribute `anchor` for evidence: `path@hash` for each file under `root` that it names; "" for none.

    A line number, a fragment or a test's name behind a path is passed over. Source of the hash: git's blob object.
    """
    if root is None or not evidence:
        return ""
    found = [f"{path}@{digest}" for path in _paths(evidence) if (digest := blob(root, path)) != GONE]
    return join(found[:MOST])


def changed(attributes: Mapping[str, str], root: Path | None) -> list[str]:
    """Labels of an entry whose evidence is no longer what it was: `evidence_changed:PATH`, `evidence_gone:PATH`."""
    if root is None or "anchor" not in attributes:
        return []
    labels: list[str] = []
    for anchor in listed(attributes["anchor"]):
        path, _, was = anchor.rpartition("@")
        now = blob(root, path)
        if now == GONE:
            labels.append(f"evidence_gone:{path}")
        elif now != was:
            labels.append(f"evidence_changed:{path}")
    return labels


def blob(root: Path, path: str) -> str:
    """The first 12 hex of the file's git blob hash; GONE where no file is there, or the path leads out of `root`."""
    with suppress(OSError, ValueError, RuntimeError):
        file = (root / path).resolve()
        if root.resolve() not in file.parents or not file.is_file():
            return GONE
        found = file.stat()
        mark = (str(file), found.st_ino, found.st_size, found.st_mtime_ns)
        if mark not in _hashes:
            if found.st_size > _LARGEST:
                return f"{found.st_size:012x}"
            data = file.read_bytes()
            if len(_hashes) > 4096:
                _hashes.clear()
            _hashes[mark] = sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()[:12]
        return _hashes[mark]
    return GONE


def _paths(evidence: str) -> Iterator[str]:
    seen: set[str] = set()
    for word in re.split(r"[\s,;()]+", evidence):
        bare = _PLACE.sub("", word.strip("`'\"<>.")).removeprefix("./")
        if bare and bare not in seen and "://" not in bare and _PATHLIKE.fullmatch(bare):
            seen.add(bare)
            yield bare
