"""Search: `Memory.search` beside a plain substring scan that reads the same files, question by question."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from bench import stores
from memshelf.memory import Memory
from memshelf.search.scan import Query


def measure(scratch: Path, sizes: list[int], asked: int) -> list[dict[str, Any]]:
    """A row a size: p50 and p95 of both in milliseconds, and the ratio of the medians.

    The first question, which reads every file, stands in `first_ms` and is in no percentile.
    """
    return [_row(scratch / f"search-{size}", size, asked) for size in sizes]


def plain_scan(root: Path, words: str) -> list[str]:
    """Every line that holds one of the words, each file read anew: what grep does."""
    wanted = words.lower().split()
    return [
        line
        for file in sorted(root.rglob("*.md"))
        for line in file.read_text(encoding="utf-8").lower().splitlines()
        if any(word in line for word in wanted)
    ]


def _row(root: Path, size: int, asked: int) -> dict[str, Any]:
    stores.make(root, size)
    memory = Memory.open("agent", {"MEMSHELF_HOME": str(root)}, root.parent)
    ours: list[float] = []
    scan: list[float] = []
    for words in stores.questions(asked + 1):
        began = time.perf_counter()
        found = memory.recall.search(Query(words))
        middle = time.perf_counter()
        lines = plain_scan(root, words)
        ended = time.perf_counter()
        assert bool(found["hits"]) == bool(lines), words
        ours.append(middle - began)
        scan.append(ended - middle)
    first, *rest = ours
    return {
        "case": f"search, {size:,} entries",
        "first_ms": round(first * 1000, 2),
        "p50_ms": _percentile(rest, 50),
        "p95_ms": _percentile(rest, 95),
        "scan_p50_ms": _percentile(scan[1:], 50),
        "scan_p95_ms": _percentile(scan[1:], 95),
        "p50_ratio": round(statistics.median(rest) / statistics.median(scan[1:]), 3),
        "runs": asked,
    }


def _percentile(seconds: list[float], percent: int) -> float:
    ordered = sorted(seconds)
    return round(ordered[min(len(ordered) - 1, round(percent / 100 * (len(ordered) - 1)))] * 1000, 2)
