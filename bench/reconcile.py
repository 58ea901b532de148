"""Same subject: how often the rule is right on labelled pairs of coding memories, beside plain token similarity."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from memshelf.gate.reconcile import Relation, nearest, relation

PAIRS = Path(__file__).with_name("pairs.jsonl")
BASELINE = 80
"""token_set_ratio from which plain similarity calls two unequal texts one subject."""


def pairs() -> list[dict[str, str]]:
    """Rows of part, label (changed, restated, different, equal), kind, old and new."""
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines() if line.strip()]


def scores(rows: list[dict[str, str]], called: list[bool]) -> dict[str, Any]:
    """Precision and recall of what was called changed."""
    right = sum(c and row["label"] == "changed" for row, c in zip(rows, called, strict=True))
    wanted = sum(row["label"] == "changed" for row in rows)
    return {
        "pairs": len(rows), "called": sum(called), "precision": round(right / max(1, sum(called)), 3),
        "recall": round(right / max(1, wanted), 3),
    }  # fmt: skip


def report() -> dict[str, Any]:
    """Measure, print and return the figures."""
    rows = pairs()
    began = time.perf_counter()
    ours = [relation(row["old"], row["new"]) is Relation.CHANGED for row in rows]
    each = (time.perf_counter() - began) / len(rows)
    plain = [
        row["old"] != row["new"] and fuzz.token_set_ratio(row["old"], row["new"]) >= BASELINE for row in rows
    ]
    parts = sorted({row["part"] for row in rows})
    figures: dict[str, Any] = {"all": scores(rows, ours), "plain similarity": scores(rows, plain)}
    for part in parts:
        chosen = [i for i, row in enumerate(rows) if row["part"] == part]
        figures[part] = scores([rows[i] for i in chosen], [ours[i] for i in chosen])
    many = [f"Service {n} keeps its state in bucket {n * 7}." for n in range(10_000)]
    began = time.perf_counter()
    nearest("The API listens on port 9090.", many)
    figures["us_a_pair"] = round(each * 1e6, 1)
    figures["ms_against_10000"] = round((time.perf_counter() - began) * 1e3, 1)
    print(f"\nsame subject, {len(rows)} labelled pairs")
    for name, row in figures.items():
        print(f"  {name:18} {row}")
    return figures


if __name__ == "__main__":
    report()
