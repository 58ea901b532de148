"""`python -m bench`: prints the figures, keeps them as JSON and compares the ratios with those of the run before."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import reconcile, screening, search, start

RESULTS = Path(__file__).with_name("results")
START_TARGET = 1.25
"""A start may cost this many times the bare server's."""


def main(argv: list[str]) -> int:
    """Measure, print, keep; always 0, because a figure is for a person to judge."""
    parser = argparse.ArgumentParser("python -m bench", description="Measure memshelf beside its baselines.")
    parser.add_argument("--quick", action="store_true", help="few runs, for a look")
    parser.add_argument("--runs", type=int, help="starts of each server")
    parser.add_argument("--asked", type=int, help="questions per store")
    parser.add_argument("--files", type=int, help="files in the full store of the start")
    parser.add_argument("--entries", type=int, nargs="+", help="sizes of the stores that are searched")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the JSON results")
    asked = parser.parse_args(argv)
    runs, questions = asked.runs or (3 if asked.quick else 15), asked.asked or (10 if asked.quick else 100)
    with tempfile.TemporaryDirectory(prefix="memshelf-bench-") as folder:
        scratch = Path(folder)
        starts = start.measure(scratch, runs, asked.files or 10_000)
        searches = search.measure(scratch, asked.entries or [1_000, 10_000], questions)
    now = datetime.now(UTC)
    figures = {
        "at": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        "start": starts,
        "search": searches,
        "screening": screening.report(),
        "reconcile": reconcile.report(),
    }
    before = last(asked.out)
    print_figures(figures, before)
    asked.out.mkdir(parents=True, exist_ok=True)
    file = asked.out / f"{now:%Y-%m-%dT%H%M%SZ}.json"
    file.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {file}")
    return 0


def last(folder: Path) -> dict[str, Any] | None:
    """The newest result, None where there is none that can be read."""
    for file in sorted(folder.glob("*.json"), reverse=True):
        try:
            return json.loads(file.read_text(encoding="utf-8"))
        except ValueError:
            continue
    return None


def print_figures(figures: dict[str, Any], before: dict[str, Any] | None) -> None:
    """Both tables, with the ratio of the run before beside each where there is one."""
    print(f"Python {figures['python']}, {figures['system']}\n")
    head = ("cold start", "wall ms", "CPU ms", "wall ratio", "CPU ratio", "before", "target")
    rows = [
        (
            r["case"], f"{r['wall_ms']:.1f}", f"{r['cpu_ms']:.1f}", f"{r['wall_ratio']:.2f}", f"{r['cpu_ratio']:.2f}",
            _earlier(before, "start", r["case"], "wall_ratio"), "" if i == 0 else _judged(r["wall_ratio"]),
        )
        for i, r in enumerate(figures["start"])
    ]  # fmt: skip
    _print_table(head, rows)
    print()
    head = ("search", "first ms", "p50 ms", "p95 ms", "scan p50", "scan p95", "ratio", "before")
    rows = [
        (
            r["case"], f"{r['first_ms']:.1f}", f"{r['p50_ms']:.1f}", f"{r['p95_ms']:.1f}", f"{r['scan_p50_ms']:.1f}",
            f"{r['scan_p95_ms']:.1f}", f"{r['p50_ratio']:.2f}", _earlier(before, "search", r["case"], "p50_ratio"),
        )
        for r in figures["search"]
    ]  # fmt: skip
    _print_table(head, rows)


def _judged(ratio: float) -> str:
    return f"{START_TARGET} {'met' if ratio <= START_TARGET else 'MISSED'}"


def _earlier(before: dict[str, Any] | None, part: str, case: str, key: str) -> str:
    rows = (before or {}).get(part, [])
    return next((f"{row[key]:.2f}" for row in rows if row.get("case") == case), "-")


def _print_table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, tuple("-" * width for width in widths), *rows):
        cells = (row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)))
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
