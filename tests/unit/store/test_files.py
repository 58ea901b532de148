"""One file read and replaced: what a person's editor does in between, what the disk refuses, what stays behind."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

import memshelf
from memshelf.errors import ChangedUnderneath, NotFound, ReadOnly, Unreadable
from memshelf.store import exchange, files, snapshot

LINE = b"- said by the agent\n"


def add(before: bytes | None) -> bytes:
    return (before or b"") + LINE


def old(path: Path, data: bytes = b"# Title\n", mode: int = 0o644) -> Path:
    """A file that rested long ago."""
    path.write_bytes(data)
    path.chmod(mode)
    then = time.time() - 60
    os.utime(path, (then, then))
    return path


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


class Person:
    """Does things when a step is reached: `rename_2=action` just before the second `rename`. `seen`: steps passed."""

    def __init__(self, **deeds: Callable[[], object]) -> None:
        self.deeds = deeds
        self.seen: list[str] = []

    def __call__(self, name: str) -> None:
        self.seen.append(name)
        deed = self.deeds.pop(f"{name.replace('-', '_')}_{self.seen.count(name)}", None)
        if deed:
            deed()


def child(script: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `script` in a process of its own; what it prints is what the test compares."""
    root = str(Path(memshelf.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": root, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


PLAIN_USER = """
import ctypes, os
def as_plain_user():
    # Root ignores modes; a process without these two rights is stopped by them like anybody else.
    if os.geteuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        rights = (ctypes.c_uint32 * 6)()
        assert libc.capget(header, rights) == 0
        rights[0] &= ~0b110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        assert libc.capset(header, rights) == 0
"""


# -- looking and reading -------------------------------------------------------------------------------------------


def test_an_etag_is_the_first_sixteen_digits_of_the_sha256() -> None:
    assert files.etag(b"") == "e3b0c44298fc1c14"


def test_a_file_that_is_not_there_has_no_print_and_no_bytes(tmp_path: Path) -> None:
    old(tmp_path / "file")
    for path in (tmp_path / "none.md", tmp_path / "no" / "folder.md", tmp_path / "file" / "under.md"):
        assert (files.print_of(path), files.read(path)) == (None, None)


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket", "device"])
def test_what_is_no_regular_file_is_refused_without_being_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = tmp_path / "x.md"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        monkeypatch.chdir(tmp_path)  # the name of a socket is limited to 107 bytes
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("x.md")
    else:
        path = Path("/dev/null")
    for refused in (files.print_of, files.read, lambda p: files.edit(p, add)):
        with pytest.raises(Unreadable, match=f"{path} is a {kind}"):
            refused(path)


def test_a_pipe_swapped_in_just_before_reading_does_not_hang(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    with files.faults(Person(look_1=lambda: (path.unlink(), os.mkfifo(path)))), pytest.raises(Unreadable):
        files.read(path)


def test_a_snapshot_is_settled_only_when_its_mtime_is_two_seconds_old(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md", b"x")
    print_ = files.print_of(path)
    assert print_
    assert files.read(path) == files.Snapshot(b"x", print_, True)
    then = time.time() - 1
    os.utime(path, (then, then))
    found = files.read(path)
    assert found
    assert not found.settled


@pytest.mark.parametrize("first", [b"", b"one\n"])
def test_an_in_place_save_in_progress_is_read_whole(tmp_path: Path, first: bytes) -> None:
    path = tmp_path / "a.md"
    with path.open("wb", buffering=0) as editor:
        editor.write(first)
        person = Person(wait_2=lambda: editor.write(b"two\n"), wait_4=lambda: editor.write(b"three\n"))
        with files.faults(person):
            found = files.read(path)
    assert found
    assert found.data == first + b"two\nthree\n"


def test_an_empty_file_is_waited_for_longer_because_its_text_may_be_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = old(tmp_path / "a.md", b"")
    monkeypatch.setattr(snapshot, "CALM_EMPTY", 3600)
    with files.faults(Person(wait_1=lambda: path.write_bytes(b"saved\n"))):
        found = files.read(path, patience=30)
    assert found
    assert found.data == b"saved\n"


@pytest.mark.parametrize("at", ["look_1", "read_1"])
@pytest.mark.parametrize("how", ["in place", "renamed over"])
def test_a_save_between_looking_and_reading_is_read_whole(tmp_path: Path, how: str, at: str) -> None:
    path = old(tmp_path / "a.md")

    def save() -> None:
        target = path if how == "in place" else path.with_suffix(".new")
        target.write_bytes(b"all of it\n")
        target.replace(path)

    with files.faults(Person(**{at: save})):
        found = files.read(path)
    assert found
    assert (found.data, found.print, found.settled) == (b"all of it\n", files.print_of(path), False)


def test_a_file_that_never_rests_is_read_as_it_is_after_the_patience(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_bytes(b"x")

    def busy(_: str) -> None:
        with path.open("ab") as file:
            file.write(b"x")

    begin = time.monotonic()
    with files.faults(busy):
        found = files.read(path, patience=0.2)
    assert found
    assert found.data.strip(b"x") == b""
    assert not found.settled
    assert 0.2 <= time.monotonic() - begin < 5


@pytest.mark.parametrize("ahead", [1.0, 3600.0])
def test_a_clock_ahead_of_ours_does_not_use_up_the_patience(tmp_path: Path, ahead: float) -> None:
    path = old(tmp_path / "a.md")
    then = time.time() + ahead
    os.utime(path, (then, then))
    begin = time.monotonic()
    assert files.read(path, patience=60)
    assert time.monotonic() - begin < 30


def test_a_file_moved_to_its_backup_by_an_editor_is_waited_for(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    path.rename(tmp_path / "a.md~")
    person = Person(wait_3=lambda: path.write_bytes(b"saved\n"))
    with files.faults(person):
        edited = files.edit(path, add)
    assert edited == files.Edited(b"saved\n", b"saved\n" + LINE)


# -- editing -------------------------------------------------------------------------------------------------------


def test_a_new_file_gets_its_folders_and_the_mode_that_the_umask_leaves(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c.md"
    assert files.edit(path, lambda before: b"new" if before is None else b"wrong") == files.Edited(None, b"new")
    assert everything(tmp_path) == {"a/b/c.md": b"new"}
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755, 0o200 | 0o444])
def test_a_replaced_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = old(tmp_path / "a.md", mode=mode)
    assert files.edit(path, add) == files.Edited(b"# Title\n", b"# Title\n" + LINE)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert everything(tmp_path) == {"a.md": b"# Title\n" + LINE}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_replaced_file_keeps_its_owner(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    os.chown(path, 12345, 23456)
    files.edit(path, add)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


def test_nobody_waits_for_our_own_write_and_yet_editors_see_a_later_time(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    times = [path.stat().st_mtime_ns]
    steps = Person()
    with files.faults(steps):
        for _ in range(3):
            files.edit(path, add)
            times.append(path.stat().st_mtime_ns)
            files.read(path)
    assert "wait" not in steps.seen
    assert all(later // 1_000_000 > earlier // 1_000_000 for earlier, later in pairwise(times))


def test_the_time_after_an_edit_is_later_by_what_editors_can_tell_even_where_the_old_one_is_ahead(
    tmp_path: Path,
) -> None:
    path = old(tmp_path / "a.md")
    then = time.time_ns() + 3600 * 10**9
    os.utime(path, ns=(then, then))
    files.edit(path, add)
    assert path.stat().st_mtime_ns == then + 1_000_000


@pytest.mark.parametrize("there", [True, False])
def test_a_change_to_the_same_moves_no_byte(tmp_path: Path, there: bool) -> None:
    path = tmp_path / "folder" / "a.md"
    if there:
        path.parent.mkdir()
        old(path)
    found = files.print_of(path)
    edited = files.edit(path, lambda before: before)
    assert edited.before == edited.after == (b"# Title\n" if there else None)
    assert files.print_of(path) == found
    assert path.parent.exists() == there


def test_a_change_that_refuses_moves_no_byte(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    found = files.print_of(path)

    def refuse(_: bytes | None) -> bytes:
        raise NotFound("no such entry")

    for target in (path, tmp_path / "folder" / "b.md"):
        with pytest.raises(NotFound):
            files.edit(target, refuse)
    assert files.print_of(path) == found
    assert os.listdir(tmp_path) == ["a.md"]  # noqa: PTH208  names are what is compared


def test_a_file_is_removed_where_the_change_leaves_nothing(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    assert files.edit(path, lambda _: None) == files.Edited(b"# Title\n", None)
    assert everything(tmp_path) == {}


def test_a_name_as_long_as_names_can_be_is_edited(tmp_path: Path) -> None:
    path = old(tmp_path / ("ü" * 126 + ".md"))
    files.edit(path, add)
    assert everything(tmp_path) == {path.name: b"# Title\n" + LINE}


# -- a person saves in between -------------------------------------------------------------------------------------


def in_place(path: Path, data: bytes) -> None:
    with path.open("wb", buffering=0) as editor:
        editor.write(data[:3])
        editor.write(data[3:])


def renamed(path: Path, data: bytes) -> None:
    fresh = path.with_name("editor.new")
    fresh.write_bytes(data)
    fresh.replace(path)


def renamed_dated(path: Path, data: bytes) -> None:
    """As a sync tool does, with the time of the other machine."""
    fresh = path.with_name("sync.new")
    old(fresh, data).replace(path)


SAVES = [in_place, renamed, renamed_dated]


@pytest.mark.parametrize("at", ["look_1", "read_1", "open_1", "fsync_1", "rename_1"])
@pytest.mark.parametrize("save", SAVES)
def test_a_save_in_the_middle_of_an_edit_is_kept_and_the_edit_is_made_onto_it(tmp_path: Path, save, at: str) -> None:
    path = old(tmp_path / "a.md")
    with files.faults(Person(**{at: lambda: save(path, b"by hand\n")})):
        edited = files.edit(path, add)
    assert edited == files.Edited(b"by hand\n", b"by hand\n" + LINE)
    assert everything(tmp_path) == {"a.md": b"by hand\n" + LINE}


@pytest.mark.parametrize("save", SAVES)
def test_a_second_save_while_the_first_is_put_back_wins_over_it(tmp_path: Path, save) -> None:
    path = old(tmp_path / "a.md")
    first, second = lambda: save(path, b"first\n"), lambda: save(path, b"first\nsecond\n")
    with files.faults(Person(rename_1=first, rename_back_1=second)):
        files.edit(path, add)
    assert everything(tmp_path) == {"a.md": b"first\nsecond\n" + LINE}


def test_an_in_place_save_that_spans_the_replacement_is_kept_whole(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    editors = []

    def begin() -> None:
        editors.append(path.open("wb", buffering=0))

    def finish() -> None:
        editors[0].write(b"two\n")
        editors[0].close()

    with files.faults(Person(rename_1=begin, rename_back_1=lambda: editors[0].write(b"one\n"), wait_3=finish)):
        files.edit(path, add)
    assert everything(tmp_path) == {"a.md": b"one\ntwo\n" + LINE}


def test_a_writer_that_opened_the_old_file_and_writes_after_the_replacement_is_kept(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    editor = path.open("r+b", buffering=0)
    with files.faults(Person(fsync_folder_1=lambda: (editor.write(b"# TITLE\n"), editor.close()))):
        files.edit(path, add)
    assert everything(tmp_path) == {"a.md": b"# TITLE\n" + LINE}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
@pytest.mark.parametrize("removing", [False, True])
def test_a_program_that_has_the_file_open_for_writing_is_waited_for(tmp_path: Path, removing: bool) -> None:
    path = old(tmp_path / "a.md")
    editor = path.open("ab", buffering=0)

    def write() -> None:
        editor.write(b"late\n")
        editor.close()

    with files.faults(Person(wait_2=write)):
        files.edit(path, lambda before: None if removing and b"late" not in (before or b"") else add(before))
    assert everything(tmp_path) == {"a.md": b"# Title\nlate\n" + LINE}


def test_a_program_that_keeps_the_file_open_and_never_writes_only_delays_the_edit(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    with path.open("r+b"):
        files.edit(path, add)
    assert everything(tmp_path) == {"a.md": b"# Title\n" + LINE}


def test_a_file_removed_in_the_middle_of_an_edit_is_absent_to_the_change(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    with files.faults(Person(rename_1=path.unlink)):
        assert files.edit(path, add) == files.Edited(None, LINE)
    assert everything(tmp_path) == {"a.md": LINE}


def test_a_file_that_appears_in_the_middle_of_its_creation_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    with files.faults(Person(rename_1=lambda: path.write_bytes(b"by hand\n"))):
        assert files.edit(path, add) == files.Edited(b"by hand\n", b"by hand\n" + LINE)
    assert everything(tmp_path) == {"a.md": b"by hand\n" + LINE}


@pytest.mark.parametrize("save", SAVES)
def test_a_save_in_the_middle_of_a_removal_is_kept(tmp_path: Path, save) -> None:
    path = old(tmp_path / "a.md")
    with files.faults(Person(rename_1=lambda: save(path, b"by hand\n"))):
        edited = files.edit(path, lambda before: None if before == b"# Title\n" else before)
    assert edited == files.Edited(b"by hand\n", b"by hand\n")
    assert everything(tmp_path) == {"a.md": b"by hand\n"}


def test_a_folder_put_where_the_file_was_stays_and_is_refused(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    swapped = Person(rename_1=lambda: (path.unlink(), path.mkdir(), old(path / "b.md")))
    with files.faults(swapped), pytest.raises(Unreadable, match="is a folder"):
        files.edit(path, add)
    assert everything(tmp_path) == {"a.md/b.md": b"# Title\n"}


def test_an_edit_of_a_file_that_keeps_changing_gives_up_and_keeps_the_last_save(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    saves: list[bytes] = []

    def restless(name: str) -> None:
        if name == "rename":
            saves.append(b"save %d\n" % len(saves))
            renamed_dated(path, saves[-1])

    with files.faults(restless), pytest.raises(ChangedUnderneath, match="keeps changing"):
        files.edit(path, add)
    assert everything(tmp_path) == {"a.md": saves[-1]}
    assert len(saves) == files.TRIES


def test_no_save_of_another_process_is_lost_while_the_same_without_comparing_loses_some(tmp_path: Path) -> None:
    person = """
import sys
from pathlib import Path
path = Path(sys.argv[1])
for i in range(60):
    data = path.read_bytes() + b"person %d\\n" % i
    if i % 2:
        with path.open("wb", buffering=0) as editor:
            editor.write(data[: len(data) // 2])
            editor.write(data[len(data) // 2 :])
    else:
        fresh = path.with_name("person.new")
        fresh.write_bytes(data)
        fresh.replace(path)
    print(i, flush=True)
    sys.stdin.readline()
"""

    def lost(agent: Callable[[Path], object]) -> int:
        path = old(tmp_path / "a.md")
        with subprocess.Popen(
            [sys.executable, "-c", person, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        ) as process:
            assert process.stdin
            assert process.stdout
            # The person goes on at once and we begin at once: the two meet at another point each time.
            while process.stdout.readline():
                process.stdin.write(b"\n")
                agent(path)
        lines = path.read_bytes().splitlines()
        return sum(b"person %d" % i not in lines for i in range(60))

    def careless(path: Path) -> None:
        data = path.read_bytes()
        fresh = path.with_name("careless.new")
        with fresh.open("wb") as file:
            file.write(add(data))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)

    assert lost(lambda path: files.edit(path, add)) == 0
    if not any(lost(careless) for _ in range(5)):
        pytest.skip("inconclusive: not even a careless agent lost a line on this machine")


# -- the disk refuses ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [add, lambda _: None])
def test_a_file_without_any_write_bit_is_refused_to_root_too(tmp_path: Path, change) -> None:
    path = old(tmp_path / "a.md", mode=0o444)
    found = files.print_of(path)
    with pytest.raises(ReadOnly, match="read-only"):
        files.edit(path, change)
    assert files.print_of(path) == found
    assert everything(tmp_path) == {"a.md": b"# Title\n"}


def test_a_link_that_came_in_is_refused_and_what_it_leads_to_is_not_touched(tmp_path: Path) -> None:
    target = old(tmp_path / "outside.txt")
    for name, to in (("link.md", target), ("dangling.md", tmp_path / "nowhere")):
        (tmp_path / name).symlink_to(to)
        with pytest.raises(Unreadable, match="is a link"):
            files.edit(tmp_path / name, add)
    assert target.read_bytes() == b"# Title\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dangling.md", "link.md", "outside.txt"]


@pytest.mark.parametrize("below", ["a.md", "b/a.md", "b/c/a.md"])
def test_a_file_where_a_folder_has_to_be_is_named(tmp_path: Path, below: str) -> None:
    path = old(tmp_path / "folder")
    with pytest.raises(Unreadable, match=f"{path} is not a folder"):
        files.edit(path / below, add)
    assert everything(tmp_path) == {"folder": b"# Title\n"}


def test_modes_that_forbid_it_are_told_apart_from_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    old(tmp_path / "closed" / "a.md")
    (tmp_path / "closed").chmod(0o555)
    (tmp_path / "dark").mkdir()
    old(tmp_path / "dark" / "a.md", mode=0o200)
    script = f"""{PLAIN_USER}
import sys
from pathlib import Path
from memshelf.errors import StoreTrouble
from memshelf.store import files
as_plain_user()
for name in sys.argv[2:]:
    try:
        files.edit(Path(sys.argv[1], name), lambda before: b"changed")
    except StoreTrouble as trouble:
        print(trouble.code)
"""
    done = child(script, tmp_path, "closed/a.md", "closed/new.md", "closed/new/a.md", "dark/a.md")
    (tmp_path / "closed").chmod(0o755)
    (tmp_path / "dark" / "a.md").chmod(0o644)
    assert (done.stdout.split(), done.stderr) == (["READ_ONLY", "READ_ONLY", "READ_ONLY", "UNREADABLE"], "")
    assert everything(tmp_path) == {"closed/a.md": b"# Title\n", "dark/a.md": b"# Title\n"}


def test_a_write_cut_short_by_a_limit_leaves_the_old_bytes(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    script = """
import resource, sys
from pathlib import Path
from memshelf.errors import StoreFull
from memshelf.store import files
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
steps = []
with files.faults(steps.append):
    try:
        files.edit(Path(sys.argv[1]), lambda before: b"x" * 10000)
    except StoreFull as full:
        print(full.code, steps.count("write"))
"""
    assert child(script, path).stdout == "STORE_FULL 2\n"
    assert everything(tmp_path) == {"a.md": b"# Title\n"}


OWN_DISK = """
import ctypes, os, sys
from pathlib import Path
from memshelf.errors import MemshelfError
from memshelf.store import files
from memshelf.store.lock import StoreLock
libc = ctypes.CDLL(None, use_errno=True)
user, group = os.geteuid(), os.getegid()
def mount(options, flags=0):
    return libc.mount(b"none", sys.argv[1].encode(), b"tmpfs", flags, options)
spaces = 0x20000 | (0 if user == 0 else 0x10000000)  # CLONE_NEWNS, CLONE_NEWUSER
alone = libc.unshare(spaces) == 0
if alone and user:
    for name, words in ("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1"):
        Path("/proc/self", name).write_text(words)
if not alone or libc.mount(b"none", b"/", None, 0x44000, None) or mount(b"size=64k"):  # MS_REC | MS_PRIVATE
    print("NO_DISK"); sys.exit()
root = Path(sys.argv[1])
def attempt(root, name):
    try:
        with StoreLock(root).held():
            files.edit(root / name, lambda before: (before or b"") + b"more" * 4096)
        return "written"
    except MemshelfError as error:
        return error.code
"""


def test_a_full_disk_leaves_the_old_bytes_and_can_still_be_locked(tmp_path: Path) -> None:
    script = (
        OWN_DISK
        + """
print(attempt(root / "store", "a.md"))
with open(root / "rest", "wb", buffering=0) as rest:
    try:
        while True: rest.write(b"x" * 512)
    except OSError: pass
with StoreLock(root / "store").held(): print("locked")
print(attempt(root / "store", "a.md"), attempt(root / "store", "b.md"))
print(len((root / "store" / "a.md").read_bytes()), *sorted(os.listdir(root / "store")))
(root / "rest").unlink()
print(attempt(root / "store", "a.md"))
mount(b"", 0x20 | 1)  # MS_REMOUNT | MS_RDONLY
print(attempt(root / "store", "a.md"), attempt(root / "other", "a.md"))
print(len((root / "store" / "a.md").read_bytes()), *sorted(os.listdir(root / "store")))
"""
    )
    done = child(script, tmp_path)
    if done.stdout == "NO_DISK\n":
        pytest.skip("no right to mount a disk of our own")
    assert (done.stdout.splitlines(), done.stderr) == (
        [
            "written",
            "locked",
            "STORE_FULL STORE_FULL",
            "16384 .lock a.md",
            "written",
            "READ_ONLY READ_ONLY",
            "32768 .lock a.md",
        ],
        "",
    )


# -- leftovers, and systems that cannot do everything --------------------------------------------------------------


def test_leftovers_of_killed_processes_are_removed_and_nothing_else(tmp_path: Path) -> None:
    path = old(tmp_path / "a.md")
    for name in (".a.md.0123abcd.memshelf-tmp", ".gone.md.89abcdef.memshelf-tmp", "mine.memshelf-tmp", ".a.md.swp"):
        (tmp_path / name).write_bytes(b"")
    files.edit(path, add)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".a.md.swp", "a.md", "mine.memshelf-tmp"]


@pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64", reason="the filter is for one system")
@pytest.mark.parametrize("missing", ["renameat2", "renameat2 link"])
def test_where_names_cannot_be_exchanged_or_linked_edits_work_all_the_same(tmp_path: Path, missing: str) -> None:
    old(tmp_path / "a.md")
    old(tmp_path / "b.md")
    script = """
import ctypes, errno, struct, sys
from pathlib import Path
from memshelf.store import exchange, files, snapshot
numbers = {"renameat2": [316], "link": [86, 265]}
answers = {"renameat2": 0x50000 | errno.ENOSYS, "link": 0x50000 | errno.EPERM}
program = [(0x20, 0, 0, 0)]  # load the number of the system call
for name in sys.argv[2].split():
    for number in numbers[name]:
        program += [(0x15, 0, 1, number), (0x06, 0, 0, answers[name])]
program.append((0x06, 0, 0, 0x7FFF0000))
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
filter = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, filter) == 0
root = Path(sys.argv[1])
assert not exchange.swap(root / "a.md", root / "b.md")
add = lambda before: (before or b"") + b"added\\n"
print(files.edit(root / "a.md", add))
saved = []
def save(name):
    if name == "fsync" and not saved:
        saved.append((root / "a.md").write_bytes(b"by hand\\n"))
with files.faults(save):
    print(files.edit(root / "a.md", add))
print(files.edit(root / "new.md", add))
print(files.edit(root / "b.md", lambda _: None))
race = root / "race.md"
with files.faults(lambda name: race.exists() or name != "rename" or race.write_bytes(b"by hand\\n")):
    print(files.edit(race, add))
"""
    done = child(script, tmp_path, missing)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        repr(files.Edited(b"# Title\n", b"# Title\nadded\n")),
        repr(files.Edited(b"by hand\n", b"by hand\nadded\n")),
        repr(files.Edited(None, b"added\n")),
        repr(files.Edited(b"# Title\n", None)),
        repr(files.Edited(b"by hand\n", b"by hand\nadded\n")),
    ]
    assert everything(tmp_path) == {
        "a.md": b"by hand\nadded\n",
        "new.md": b"added\n",
        "race.md": b"by hand\nadded\n",
    }


@pytest.mark.parametrize(
    ("plain", "long"),
    [
        (r"C:\store\a.md", r"\\?\C:\store\a.md"),
        (r"C:\store/sub\..\a.md", r"\\?\C:\store\a.md"),
        (r"\\host\share\a.md", r"\\?\UNC\host\share\a.md"),
        (r"\\?\C:\store\a.md", r"\\?\C:\store\a.md"),
    ],
)
def test_a_long_windows_path_gets_the_form_without_limit(plain: str, long: str) -> None:
    assert exchange.unlimited(plain) == long
