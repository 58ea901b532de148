"""Secrets: what the own rules find, what they take for a secret, and what a bullet costs; with the extra beside them.

`python -m bench.screening` prints this part alone. The corpus is that of the tests, where it is said how far its
held-out part is one: two general rows were written after a first count of it.
"""

from __future__ import annotations

import runpy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memshelf.gate import scanner
from memshelf.gate import secrets as own

CORPUS = Path(__file__).parents[1] / "tests" / "unit" / "gate" / "corpus.py"
_HEAD = ("secrets", "recall", "false alarms", "held-out", "ms a bullet")


def report(rounds: int = 20) -> list[dict[str, Any]]:
    """Measures, prints the table, and gives its rows."""
    rows = measure(rounds)
    print(f"\n{_HEAD[0]:<28}" + "".join(f"{head:>14}" for head in _HEAD[1:]))
    for r in rows:
        cells = (
            f"{r['found']} of {r['true']}",
            f"{r['false_alarms']} of {r['innocent']}",
            f"{r['held_out_found']} of {r['held_out']}",
            f"{r['ms']:.3f}",
        )
        print(f"{r['case']:<28}" + "".join(f"{cell:>14}" for cell in cells))
    return rows


def measure(rounds: int = 20) -> list[dict[str, Any]]:
    """A row for the own rules, and one for them with the extra where that is installed.

    `ms` is the mean over every line of the corpus, innocent and true, after the first round.
    """
    rows = [_row("own rules", own.findings, rounds)]
    if scanner.state() == "ready":
        rows.append(_row("own rules and betterleaks", lambda text: own.findings(text) + scanner.findings(text), rounds))
    return rows


def _row(name: str, find: Callable[[str], list[own.Finding]], rounds: int) -> dict[str, Any]:
    corpus = runpy.run_path(str(CORPUS))
    true, held_out = ([case.text for case in corpus[part]] for part in ("TRUE", "HELD_OUT"))
    innocent = corpus["INNOCENT"]
    counts = [sum(bool(find(line)) for line in part) for part in (true, innocent, held_out)]
    lines = [*true, *innocent]
    began = time.perf_counter()
    for _ in range(rounds):
        for line in lines:
            find(line)
    took = time.perf_counter() - began
    return {
        "case": name,
        "found": counts[0],
        "true": len(true),
        "false_alarms": counts[1],
        "innocent": len(innocent),
        "held_out_found": counts[2],
        "held_out": len(held_out),
        "ms": round(took * 1000 / rounds / len(lines), 4),
        "runs": rounds,
    }


if __name__ == "__main__":
    report()
