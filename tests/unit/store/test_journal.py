"""The journal: lines that follow from one another, a file for each writer, and what is missing or damaged is named."""

from __future__ import annotations

import errno
import hmac
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memshelf.errors import StoreTrouble, Unreadable
from memshelf.store import journal as module
from memshelf.store.faults import faults
from memshelf.store.journal import Break, Journal

SETTINGS = settings(max_examples=60, deadline=None)
WORDS = st.dictionaries(st.sampled_from(["id", "kind", "channel", "file", "why", "n"]), st.none() | st.text(max_size=8) | st.integers(0, 999), max_size=4)


def filled(root: Path, *ops: str) -> tuple[Journal, dict[str, tuple[int, str]]]:
    """A journal with a line for each op, and the last line as a ledger remembers it."""
    journal = Journal(root)
    for op in ops:
        head = journal.append({"op": op})
    return journal, {journal.own.name: head}


def lines(journal: Journal) -> list[bytes]:
    return journal.own.read_bytes().splitlines()


# -- what stands in it -------------------------------------------------------------------------------------------------


@SETTINGS
@given(st.lists(WORDS, min_size=1, max_size=8))
@example([{"why": "\u2028\n\r\0\U0001f600\udcff"}, {"why": "x" * 4090}, {"why": "x" * 9000}, {"why": ""}])
def test_each_line_has_the_next_number_and_names_the_line_before_it(records: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        before, told = "0" * 32, []
        for n, words in enumerate(records, 1):
            number, found = Journal(Path(folder)).append({"op": "added"} | words)  # as by a new process each
            line = lines(Journal(Path(folder)))[-1]
            assert (number, found) == (n, sha256(line).hexdigest()[:32])
            kept = {"op": "added"} | {key: value for key, value in words.items() if value not in ("", None)}
            assert json.loads(line) == {"seq": n, **kept, "prev": before}
            before = found
            told.append(json.loads(line))
        journal = Journal(Path(folder))
        assert list(journal.records()) == told
        assert journal.audit({journal.own.name: (len(records), before)}) == (len(records), [])
        assert journal.own.read_bytes().isascii()


def test_a_digest_is_keyed_by_a_secret_of_the_writer_that_stays_on_this_machine(tmp_path: Path) -> None:
    one, other = Journal(tmp_path / "a"), Journal(tmp_path / "b")
    key = one.folder / f"{one.own.stem}.key"
    for text in ("", "Gulls nest.", "\u00e9\U0001f600", "\udcff"):
        assert one.digest(text) == Journal(one.root).digest(text) == hmac.new(key.read_bytes(), text.encode("utf-8", "surrogatepass"), sha256).hexdigest()[:16]
        assert one.digest(text) not in (other.digest(text), sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16])
    assert len({one.digest(text) for text in ("Gulls nest.", "gulls nest.", "Gulls nest. ", "")}) == 4
    one.append({"op": "added"})
    assert {path.name: path.stat().st_mode & 0o077 for path in (key, one.own)} == {key.name: 0, one.own.name: 0}
    assert (one.folder / ".gitignore").read_text() == "*\n"
    assert len(key.read_bytes()) == 64


def test_looking_at_a_journal_that_is_not_there_makes_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "store")
    assert (journal.exists(), list(journal.records()), journal.audit({})) == (False, [], (0, []))
    assert not journal.root.exists()
    journal.append({"op": "added"})
    assert (journal.exists(), len(list(journal.records())), journal.audit({})) == (True, 1, (1, []))


# -- several writers ---------------------------------------------------------------------------------------------------


def test_each_user_of_a_machine_has_a_file_a_key_and_a_chain_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journals, digests = {}, {}
    for n in range(3):
        for who in ("ann", "ben"):
            monkeypatch.setenv("LOGNAME", who)
            journal = Journal(tmp_path)
            assert journal.append({"op": "added", "n": n + 1})[0] == n + 1
            journals[who], digests[who] = journal.own, journal.digest("Gulls nest.")
    assert journals["ann"] != journals["ben"]
    assert digests["ann"] != digests["ben"]
    assert sorted(path.name for path in journal.folder.iterdir()) == sorted([".gitignore", *(f"{path.stem}{end}" for path in journals.values() for end in (".key", ".jsonl"))])
    assert journal.audit({}) == (6, [])
    assert sorted(record["n"] for record in journal.records()) == [1, 1, 2, 2, 3, 3]
    whole = journals["ann"].read_bytes()
    journals["ann"].write_bytes(whole.replace(b'"n":2', b'"n":9'))
    sound, (broken,) = journal.audit({})
    assert (sound, broken.file, broken.line) == (5, f".journal/{journals['ann'].name}", 3)
    journal.append({"op": "added"})  # ben goes on
    assert (journals["ann"].read_bytes(), len(lines(journal))) == (whole.replace(b'"n":2', b'"n":9'), 4)


def test_only_files_named_as_journals_are_read(tmp_path: Path) -> None:
    journal, _ = filled(tmp_path, "added")
    for name in ("notes.jsonl", "ABCDEF012345.jsonl", "0123456789ab.jsonl.bak", "0123456789abc.jsonl"):
        (journal.folder / name).write_bytes(b'no line {"op":"added"}\n')
    (journal.folder / "0123456789ab.jsonl").mkdir()
    assert (len(list(journal.records())), journal.audit({})) == (1, (1, []))
    (journal.folder / "0123456789ab.jsonl").rmdir()
    (journal.folder / "0123456789ab.jsonl").write_bytes(b"no line\n")
    assert journal.audit({})[1] == [Break(".journal/0123456789ab.jsonl", 1, "it is no JSON")]


# -- damage ------------------------------------------------------------------------------------------------------------


CHANGES: dict[str, Callable[[bytes, int], bytes]] = {
    "another byte": lambda data, at: data[:at] + (b"y" if data[at : at + 1] == b"x" else b"x") + data[at + 1 :],
    "another digit": lambda data, at: data[:at] + (b"8" if data[at : at + 1] == b"7" else b"7") + data[at + 1 :],
    "one gone": lambda data, at: data[:at] + data[at + 1 :],
    "one more": lambda data, at: data[:at] + b" " + data[at:],
    "a new line": lambda data, at: data[:at] + b"\n" + data[at:],
    "forty gone": lambda data, at: data[:at] + data[at + 40 :],
}


@pytest.mark.parametrize("how", CHANGES)
def test_no_byte_of_a_journal_changes_comes_or_goes_unnoticed(tmp_path: Path, how: str) -> None:
    journal, heads = filled(tmp_path, "added", "revised", "retracted")
    whole = journal.own.read_bytes()
    assert journal.audit(heads) == (3, [])
    for at in range(len(whole)):
        journal.own.write_bytes(CHANGES[how](whole, at))
        sound, broken = journal.audit(heads)
        row = whole[:at].count(b"\n") + 1
        assert len(broken) == 1, at
        assert row <= broken[0].line <= row + 1, at
        assert sound == broken[0].line - 1, at
    journal.own.write_bytes(whole)
    assert journal.audit(heads) == (3, [])


def test_what_is_missing_at_the_end_is_named_as_far_as_the_last_line_is_remembered(tmp_path: Path) -> None:
    journal, heads = filled(tmp_path, *"abcd")
    name, whole = f".journal/{journal.own.name}", lines(journal)
    journal.own.write_bytes(b"".join(line + b"\n" for line in whole[:2]))
    assert journal.audit(heads) == (2, [Break(name, 3, "2 lines are missing at the end")])
    assert journal.audit({}) == (2, [])  # nobody here remembers them
    journal.own.unlink()
    assert journal.audit(heads) == (0, [Break(name, 1, "the whole journal is gone")])
    shutil.rmtree(journal.folder)
    assert journal.audit(heads) == (0, [Break(name, 1, "the whole journal is gone")])
    assert journal.audit({}) == (0, [])


def test_a_last_line_torn_anywhere_is_named_and_taken_off_by_the_next(tmp_path: Path) -> None:
    journal, heads = filled(tmp_path, "added", "revised", "retracted")
    whole = journal.own.read_bytes()
    third = whole.rindex(b"\n", 0, -1) + 1
    torn = Break(f".journal/{journal.own.name}", 3, "it is torn; the next write takes it off")
    for cut in range(third + 1, len(whole)):
        journal.own.write_bytes(whole[:cut])
        assert journal.audit(heads) == (2, [torn])
        assert Journal(tmp_path).append({"op": "added"})[0] == 3
        assert journal.audit({}) == (3, [])
        assert journal.own.read_bytes()[:third] == whole[:third]
    for start in (b'{"seq":1', b"\0" * 5000):  # of the only line
        journal.own.write_bytes(start)
        assert len(journal.audit({})[1]) == 1
        assert journal.append({"op": "added"})[0] == 1
        assert journal.audit({}) == (1, [])


@pytest.mark.xfail(strict=True, reason="the last whole line is read as one of ours, whatever it is")
@pytest.mark.parametrize("foreign", [b"a note of mine", b"{}", b"[]", b"7", b"null", b'{"seq":"1"}', b"\xff"])
def test_a_last_line_that_is_none_of_ours_is_named_and_stops_no_other(tmp_path: Path, foreign: bytes) -> None:
    journal, _ = filled(tmp_path, "added", "revised")
    with journal.own.open("ab") as file:
        file.write(foreign + b"\n")
    assert journal.audit({})[1][0].line == 3
    journal.append({"op": "retracted"})
    assert [record["op"] for record in journal.records()] == ["added", "revised", "retracted"]
    assert journal.audit({})[1][0].line == 3


@pytest.mark.parametrize("at", ["journal", "journal-write"])
def test_a_disk_that_refuses_a_line_leaves_whole_ones(tmp_path: Path, at: str) -> None:
    journal, heads = filled(tmp_path, "added")

    def full(step: str) -> None:
        if step == at:
            raise OSError(errno.ENOSPC, "no room")

    with faults(full), pytest.raises(OSError, match="no room"):
        journal.append({"op": "revised"})
    assert journal.audit(heads) == (1, [])
    assert journal.append({"op": "revised"})[0] == 2
    assert journal.audit({}) == (2, [])


# -- the key -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("left", [None, b"", b"abc", b"a" * 63])
def test_a_key_that_is_gone_or_was_never_finished_is_made_anew_and_breaks_no_chain(tmp_path: Path, left: bytes | None) -> None:
    journal, heads = filled(tmp_path, "added")
    before, key = journal.digest("Gulls nest."), journal.folder / f"{journal.own.stem}.key"
    key.unlink()
    if left is not None:
        key.write_bytes(left)
    after = Journal(tmp_path)
    assert after.audit(heads) == (1, [])
    assert not key.exists() if left is None else key.read_bytes() == left  # an audit makes none
    assert after.digest("Gulls nest.") not in ("", before)
    assert after.digest("Gulls nest.") == Journal(tmp_path).digest("Gulls nest.")
    assert len(key.read_bytes()) == 64
    after.append({"op": "revised"})
    assert after.audit({}) == (2, [])


# -- a place that will not do ------------------------------------------------------------------------------------------

USES: dict[str, Callable[[Journal], object]] = {"append": lambda journal: journal.append({"op": "added"}), "digest": lambda journal: journal.digest("x")}


@pytest.mark.parametrize("use", USES)
def test_a_file_where_the_folder_belongs_is_named(tmp_path: Path, use: str) -> None:
    (tmp_path / ".journal").write_text("mine")
    with pytest.raises(Unreadable, match="journal"):
        USES[use](Journal(tmp_path))
    assert (tmp_path / ".journal").read_text() == "mine"
    (tmp_path / ".journal").unlink()
    assert USES[use](Journal(tmp_path))


def test_a_folder_where_the_key_belongs_is_named(tmp_path: Path) -> None:
    key = Journal(tmp_path).folder / f"{Journal(tmp_path).own.stem}.key"
    key.mkdir(parents=True)
    with pytest.raises(StoreTrouble, match="key"):
        Journal(tmp_path).digest("x")
    key.rmdir()
    assert Journal(tmp_path).digest("x")


CLOSED = """
import ctypes, os, sys
from pathlib import Path
from memshelf.errors import MemshelfError
from memshelf.store.journal import Journal
if os.geteuid() == 0:  # root ignores modes: go on without the right to
    libc = ctypes.CDLL(None, use_errno=True)
    header, rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, rights) == 0
    rights[0] &= ~0b110
    assert libc.capset(header, rights) == 0
journal = Journal(Path(sys.argv[1]))
for use in (lambda: journal.append({"op": "added"}), lambda: journal.digest("x"), lambda: journal.audit({})):
    try:
        print(type(use()).__name__)
    except (MemshelfError, OSError) as error:
        print(getattr(error, "code", type(error).__name__))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="gives up rights as Linux does")
def test_a_store_that_cannot_be_written_is_read_only_and_can_be_audited(tmp_path: Path) -> None:
    def uses() -> list[str]:
        return subprocess.run([sys.executable, "-c", CLOSED, str(tmp_path)], capture_output=True, text=True, check=True).stdout.split()

    def closed(*paths: Path) -> list[str]:
        modes = {path: path.stat().st_mode for path in paths}
        for path in paths:
            path.chmod(0o500 if path.is_dir() else 0o400)
        said = uses()
        for path, mode in modes.items():
            path.chmod(mode)
        return said

    assert closed(tmp_path) == ["READ_ONLY", "READ_ONLY", "tuple"]
    assert list(tmp_path.iterdir()) == []
    journal, heads = filled(tmp_path, "added", "revised")
    assert closed(journal.own, journal.folder) == ["PermissionError", "READ_ONLY", "tuple"]  # said by whoever appends
    assert journal.audit(heads) == (2, [])
    assert uses() == ["tuple", "str", "tuple"]


TROUBLES = {errno.ENOSPC: "STORE_FULL", errno.EDQUOT: "STORE_FULL", errno.EACCES: "READ_ONLY", errno.EPERM: "READ_ONLY", errno.EROFS: "READ_ONLY", errno.EIO: "UNREADABLE"}


def test_what_the_system_says_is_told_apart_and_that_nothing_was_written(tmp_path: Path) -> None:
    told = {code: module.journal_trouble(tmp_path / "x.key", OSError(code, os.strerror(code))) for code in TROUBLES}
    assert {code: trouble.code for code, trouble in told.items()} == TROUBLES
    assert all("x.key" in str(trouble) and "nothing was written" in str(trouble) for trouble in told.values())
