"""The bench runs and says both kinds of figures; how large they are is no test's business."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_quick_bench_prints_and_keeps_both_kinds_of_figures(tmp_path):
    command = [sys.executable, "-m", "bench", "--quick", "--runs", "1", "--asked", "2"]
    command += ["--files", "10", "--entries", "40", "--out", str(tmp_path)]

    first = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)

    for case in ("bare server", "memshelf, no store", "memshelf, 10 files", "memshelf, in a project", "40 entries"):
        assert case in first.stdout
    kept = [json.loads(file.read_text()) for file in tmp_path.iterdir()]
    assert [(len(one["start"]), len(one["search"])) for one in kept] == [(4, 1)]
    assert kept[0]["start"][0]["wall_ratio"] == 1.0
    assert kept[0]["search"][0]["runs"] == 2
