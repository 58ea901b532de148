"""Whatever fails, is killed or is overtaken, at whatever step: the old bytes or the new, and no person's line lost."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memshelf
from memshelf.errors import ReadOnly, StoreFull, StoreTrouble, Unreadable
from memshelf.store import files
from memshelf.store.exchange import swap

OLD, NEW = b"# Title\n", b"# Title\n- new\n"


def old(path: Path, data: bytes = OLD) -> Path:
    path.write_bytes(data)
    then = time.time() - 60
    os.utime(path, (then, then))
    return path


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file())


class Case:
    """A kind of edit: what is there before, and what after."""

    def __init__(self, path: str, before: bytes | None, after: bytes | None, steps: str) -> None:
        self.path, self.before, self.after, self.steps = path, before, after, steps.split()

    def file(self, folder: Path) -> Path:
        if self.before is not None:
            old(folder / self.path, self.before)
        return folder / self.path

    def state(self, folder: Path) -> bytes | None:
        path = folder / self.path
        return path.read_bytes() if path.exists() else None


# A file is looked at and read only where there is one; the last `unlink` of a creation finds nothing left to remove.
CASES = {
    "replace": Case("a.md", OLD, NEW, "look read open write fsync rename fsync-folder unlink"),
    "create": Case("a.md", None, NEW, "open write fsync rename fsync-folder unlink"),
    "create below": Case(
        "b/c/a.md", None, NEW, "mkdir fsync-folder " * 2 + "open write fsync rename fsync-folder unlink"
    ),
    "remove": Case("a.md", OLD, None, "look read rename fsync-folder unlink"),
}
STEPS = [(kind, n) for kind, case in CASES.items() for n in range(len(case.steps))]


@pytest.mark.parametrize("kind", CASES)
def test_the_steps_of_an_edit_are_those_that_are_tested(kind: str, tmp_path: Path) -> None:
    case = CASES[kind]
    path = case.file(tmp_path)
    if not swap_works(tmp_path):
        pytest.skip("this file system exchanges no names")
    steps: list[str] = []
    with files.faults(steps.append):
        assert files.edit(path, lambda _: case.after) == files.Edited(case.before, case.after)
    assert steps == case.steps


def swap_works(folder: Path) -> bool:
    for name in "12":
        (folder / name).touch()
    try:
        return swap(folder / "1", folder / "2")
    finally:
        for name in "12":
            (folder / name).unlink()


@pytest.mark.parametrize("code", ["ENOSPC", "EDQUOT", "EFBIG", "EIO", "EACCES", "EROFS"])
@pytest.mark.parametrize(("kind", "n"), STEPS)
def test_an_error_at_any_step_leaves_the_old_bytes_and_no_temp_file(
    kind: str, n: int, code: str, tmp_path: Path
) -> None:
    case = CASES[kind]
    path = case.file(tmp_path)
    steps: list[str] = []

    def fail(name: str) -> None:
        steps.append(name)
        if len(steps) == n + 1:
            raise OSError(getattr(errno, code), os.strerror(getattr(errno, code)))

    def attempt() -> files.Edited:
        with files.faults(fail):
            return files.edit(path, lambda _: case.after)

    if case.steps[n] == "unlink":  # the edit has taken effect; what could not be removed goes with the next edit
        assert attempt() == files.Edited(case.before, case.after)
        assert case.state(tmp_path) == case.after
    else:
        causes = {"ENOSPC": StoreFull, "EDQUOT": StoreFull, "EFBIG": StoreFull, "EIO": Unreadable}
        cause = Unreadable if case.steps[n] in ("look", "read") else causes.get(code, ReadOnly)
        with pytest.raises(cause, match=r"a\.md"):
            attempt()
        assert case.state(tmp_path) == case.before
        assert names(tmp_path) == ([] if case.before is None else ["a.md"])
    files.edit(path, lambda _: b"next\n")
    assert case.state(tmp_path) == b"next\n"
    assert names(tmp_path) == ["a.md"]


CHILD = """
import sys
from pathlib import Path
from memshelf.store import files
files.edit(Path(sys.argv[1]), lambda _: sys.argv[2].encode() if len(sys.argv) > 2 else None)
"""


@pytest.mark.skipif(os.name == "nt", reason="the signal is one of POSIX")
@pytest.mark.parametrize(("kind", "n"), STEPS)
def test_a_kill_at_any_step_leaves_old_or_new_bytes_and_the_next_edit_tidies_up(
    kind: str, n: int, tmp_path: Path
) -> None:
    case = CASES[kind]
    path = case.file(tmp_path)
    step = case.steps[n]
    killed = subprocess.run(
        [sys.executable, "-c", CHILD, str(path), *([case.after.decode()] if case.after is not None else [])],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(memshelf.__file__).parents[1]),
            "MEMSHELF_FAIL_AT": f"{step}:{case.steps[: n + 1].count(step)}",
        },
        timeout=60,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    effective = n > case.steps.index("rename")
    assert case.state(tmp_path) == (case.after if effective else case.before)
    assert files.edit(path, lambda before: (before or b"") + b"next\n").before == (
        case.after if effective else case.before
    )
    assert names(tmp_path) == ["a.md"]


@pytest.mark.parametrize("at", ["rename-back", "fsync-folder", "unlink"])
def test_an_error_while_a_save_is_put_back_does_not_lose_the_save(at: str, tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    steps: list[str] = []

    def both(name: str) -> None:
        steps.append(name)
        if name == "rename" and steps.count("rename") == 1:
            path.write_bytes(b"by hand\n")
        if name == at and steps.count(at) == 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    try:
        with files.faults(both):
            files.edit(path, lambda before: (before or b"") + b"- agent\n")
    except Unreadable:
        assert path.read_bytes() == b"by hand\n"
    else:
        assert path.read_bytes() == b"by hand\n- agent\n"
    files.edit(path, lambda before: (before or b"") + b"next\n")
    assert path.read_bytes().startswith(b"by hand\n")
    assert names(tmp_path) == ["a.md"]


# -- a person and failures at random steps -------------------------------------------------------------------------


def in_place(path: Path, line: bytes) -> None:
    data = path.read_bytes() + line
    with path.open("wb", buffering=0) as editor:
        editor.write(data[: len(data) // 2])
        editor.write(data[len(data) // 2 :])


def appended(path: Path, line: bytes) -> None:
    with path.open("ab", buffering=0) as file:
        file.write(line)


def renamed(path: Path, line: bytes) -> None:
    fresh = path.with_name("editor.new")
    fresh.write_bytes(path.read_bytes() + line)
    fresh.replace(path)


def dated(path: Path, line: bytes) -> None:
    fresh = old(path.with_name("sync.new"), path.read_bytes() + line)
    fresh.replace(path)


def fails(_path: Path, _line: bytes) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


DEEDS: list[Callable[[Path, bytes], None]] = [in_place, appended, renamed, dated, fails]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(st.integers(0, 14), st.sampled_from(DEEDS), max_size=4), min_size=1, max_size=4))
def test_every_line_of_a_person_and_every_acknowledged_line_of_the_agent_is_there_once(
    edits: list[dict[int, Callable[[Path, bytes], None]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = old(Path(folder, "a.md"))
        by_hand: list[bytes] = []
        acknowledged: list[bytes] = []
        failed: list[bytes] = []
        for number, deeds in enumerate(edits):
            left, steps = dict(deeds), []

            def at(name: str, left: dict = left, steps: list = steps, number: int = number) -> None:
                # While a save is put back the file shows, for microseconds, what is about to be withdrawn; who builds
                # on that (and not on the person's own text) is the stale buffer that nothing can prevent.
                if name in ("wait", "rename-back"):
                    return
                steps.append(name)
                deed = left.pop(len(steps) - 1, None)
                if deed:
                    line = b"person %d %d\n" % (number, len(steps))
                    if deed is not fails:
                        by_hand.append(line)
                    deed(path, line)

            line = b"agent %d\n" % number
            try:
                with files.faults(at):
                    files.edit(path, lambda before, line=line: (before or b"") + line)
                acknowledged.append(line)
            except StoreTrouble:
                failed.append(line)
        found = path.read_bytes().splitlines(keepends=True)
        assert found[0] == OLD
        # A failed edit may still show where a person saved on top of it before it could be taken back.
        assert sorted(x for x in found[1:] if x not in failed) == sorted(by_hand + acknowledged)
        assert len(set(found)) == len(found)
        assert all(name == "a.md" or name.endswith(".memshelf-tmp") for name in names(Path(folder)))
        files.edit(path, lambda before: (before or b"") + b"end\n")
        assert names(Path(folder)) == ["a.md"]
