"""Stores to measure on: plain markdown files, the same ones for every run of one size."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

_TEXT = (
    "adapter alarm archive backup batch branch broker budget bucket cache certificate channel checksum cluster commit "
    "compiler container cookie counter crash cursor daemon database deadline deploy disk domain driver editor endpoint "
    "error event export failure feature filter folder format gateway handler hash header host image import index "
    "invoice journal kernel key latency layer ledger library limit lock log machine marker memory merge message metric "
    "migration mirror module monitor network node notice object offset owner package parser patch path payload "
    "pipeline policy pool port prefix process profile protocol proxy query queue quota record region registry release "
    "replica report request retry review role route runner scheduler schema script secret server session shard signal "
    "snapshot socket source stage stream switch table tenant thread ticket timeout token topic trace transaction "
    "trigger tunnel update user vault version volume watcher webhook worker zone"
)
WORDS = tuple(_TEXT.split())
PER_FILE = 10
_AN_HOUR = 3600


def make(root: Path, entries: int, per_file: int = PER_FILE) -> None:
    """A user store of notes, `per_file` entries in each, dated an hour back so that every file has come to rest."""
    chance, then = random.Random(7), time.time() - _AN_HOUR
    for number, first in enumerate(range(0, entries, per_file)):
        lines = [f"# Note {number}", ""]
        for i in range(first, min(first + per_file, entries)):
            words = " ".join(chance.choices(WORDS, k=12))
            lines.append(f"- The {words}. <!-- m:{i:012x} at=2026-11-09T07:51:02Z src=user trust=reported -->")
        file = root / "notes" / f"collection-{number % 20:02d}" / f"note-{number:05d}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.utime(file, (then, then))


def questions(count: int) -> list[str]:
    """Queries of three words; nearly all entries' words are asked for by some."""
    chance = random.Random(11)
    return [" ".join(chance.sample(WORDS, 3)) for _ in range(count)]
