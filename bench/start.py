"""Cold start: from the process's birth to the answer of `tools/list`, spoken by hand: no SDK is in the timing."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench import stores

PATIENCE = 120.0
"""Seconds after which a server that does not answer is ended."""

_BARE = Path(__file__).with_name("bare_server.py")
_INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class Case:
    """A server to start."""

    name: str
    command: tuple[str, ...]
    environ: Mapping[str, str]
    cwd: Path


def measure(scratch: Path, runs: int, files: int) -> list[dict[str, Any]]:
    """A row a case: median wall and CPU milliseconds, and their ratios to the bare server's."""
    cases = _cases(scratch, files)
    for case in cases if runs > 1 else ():
        once(case)  # compiles what it imports
    seen: dict[str, list[tuple[float, float]]] = {case.name: [] for case in cases}
    for turn in range(runs):
        for case in cases if turn % 2 == 0 else cases[::-1]:
            seen[case.name].append(once(case))
    medians = {name: [statistics.median(column) for column in zip(*pairs, strict=True)] for name, pairs in seen.items()}
    bare = medians[cases[0].name]
    return [
        {
            "case": name,
            "wall_ms": round(wall * 1000, 1),
            "cpu_ms": round(cpu * 1000, 1),
            "wall_ratio": round(wall / bare[0], 3),
            "cpu_ratio": round(cpu / bare[1], 3) if bare[1] else 0.0,
            "runs": runs,
        }
        for name, (wall, cpu) in medians.items()
    ]


def once(case: Case) -> tuple[float, float]:
    """(wall, CPU) seconds of one start; the CPU time is the child's whole life, 0 where the system does not tell."""
    with tempfile.TemporaryFile() as said:
        try:
            return _timed(case, said)
        except (OSError, EOFError):
            said.seek(0)
            words = said.read().decode(errors="replace")[-1000:]
            raise RuntimeError(f"{case.name} gave no answer:\n{words}") from None


def _timed(case: Case, said: IO[bytes]) -> tuple[float, float]:
    began = time.perf_counter()
    child = subprocess.Popen(
        case.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
        env=dict(case.environ), cwd=case.cwd,
    )  # fmt: skip
    assert child.stdin
    assert child.stdout
    guard = threading.Timer(PATIENCE, child.kill)
    guard.start()
    try:
        _say(child.stdin, {"id": 1, "method": "initialize", "params": _INITIALIZE})
        _answer(child.stdout, 1)
        _say(child.stdin, {"method": "notifications/initialized"})
        _say(child.stdin, {"id": 2, "method": "tools/list"})
        tools = _answer(child.stdout, 2)["tools"]
        wall = time.perf_counter() - began
        assert tools, f"{case.name} has no tools"
        child.stdin.close()
        cpu = _reaped(child)
    except BaseException:
        child.kill()
        child.wait()
        raise
    finally:
        guard.cancel()
        child.stdout.close()
    return wall, cpu


def _cases(scratch: Path, files: int) -> list[Case]:
    home, full, empty, project = (scratch / name for name in ("home", "full", "empty", "project"))
    for folder in (home, empty, project / ".agents" / "memory" / "facts"):
        folder.mkdir(parents=True, exist_ok=True)
    (project / ".agents" / "memory" / "facts" / "ports.md").write_text("# Ports\n\n- The API listens on 8081.\n")
    stores.make(full, files, per_file=1)
    base = {**os.environ, "HOME": str(home), "USERPROFILE": str(home)}
    base.pop("MEMSHELF_PROJECT", None)
    serve = (sys.executable, "-m", "memshelf", "serve")
    bare = Case("bare server", (sys.executable, str(_BARE)), base, home)
    rows: Sequence[tuple[str, Path, Path]] = (
        ("memshelf, no store", empty, home),
        (f"memshelf, {files:,} files", full, home),
        ("memshelf, in a project", empty, project),
    )
    return [bare, *(Case(name, serve, {**base, "MEMSHELF_HOME": str(store)}, cwd) for name, store, cwd in rows)]


def _say(pipe: Any, message: dict[str, Any]) -> None:
    pipe.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    pipe.flush()


def _answer(pipe: Any, number: int) -> dict[str, Any]:
    for line in pipe:
        message = json.loads(line)
        if message.get("id") == number:
            return message["result"]
    raise EOFError


def _reaped(child: subprocess.Popen[bytes]) -> float:
    if not hasattr(os, "wait4"):
        child.wait()
        return 0.0
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime
