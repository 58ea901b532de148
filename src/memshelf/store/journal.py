"""The audit of a store: one append-only file a writer, `.journal/WRITER.jsonl`, each line bound to the one before it.

A line holds ids, words of ours and keyed hashes, never a text, a name or a reason. Format: abi/TRUST.md.
"""

from __future__ import annotations

import getpass
import hmac
import json
import os
import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from memshelf.errors import ReadOnly, StoreFull, Unreadable
from memshelf.store.exchange import make_folder
from memshelf.store.faults import step

FOLDER = ".journal"
GENESIS = "0" * 32
"""What the first line of a file names as the line before it."""

_NAME = re.compile(r"[0-9a-f]{12}\.jsonl")
_MACHINE_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")


@dataclass(frozen=True, slots=True)
class Break:
    """The first line of a journal that does not follow from the one before it."""

    file: str
    line: int
    """From 1; one past the last where lines are missing at the end."""
    what: str


@dataclass(slots=True)
class Journal:
    """The journals of the store at `root`; only this writer's own is ever written, under the store's lock."""

    root: Path
    _key: bytes = b""

    @property
    def folder(self) -> Path:
        return self.root / FOLDER

    @property
    def own(self) -> Path:
        return self.folder / f"{writer()}.jsonl"

    def exists(self) -> bool:
        return self.folder.is_dir()

    def digest(self, text: str) -> str:
        """16 hex of HMAC-SHA256 under this writer's secret key: equal for equal texts, meaningless without the key."""
        if not self._key:
            self._key = self._load_key()
        return hmac.new(self._key, text.encode("utf-8", "surrogatepass"), sha256).hexdigest()[:16]

    def append(self, record: Mapping[str, Any]) -> tuple[int, str]:
        """Write one line; its number, and its hash, which the next line will name.

        A line that a crash or a full disk left torn is taken off first: nobody was told that it was written.

        Raises:
            OSError: the disk would not; the file ends with a whole line again at the next try.
        """
        self._make_folder()
        step("journal")
        fd = os.open(self.own, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o600)
        try:
            size = os.fstat(fd).st_size
            last, end = _last_line(fd, size)
            if end != size:
                os.ftruncate(fd, end)
            number = json.loads(last)["seq"] + 1 if last else 1
            words = {"seq": number, **{k: v for k, v in record.items() if v not in ("", None)}}
            line = json.dumps(words | {"prev": _hash(last) if last else GENESIS}, separators=(",", ":")).encode()
            os.lseek(fd, end, os.SEEK_SET)
            step("journal-write")
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[os.write(fd, rest) :]
        finally:
            os.close(fd)
        return number, _hash(line)

    def records(self) -> Iterator[dict[str, Any]]:
        """Every sound line of every writer's journal, each in its order; what is no record is passed over."""
        for file in self._files():
            with suppress(OSError):
                for line in file.read_bytes().split(b"\n"):
                    with suppress(ValueError):
                        record = json.loads(line)
                        if isinstance(record, dict) and isinstance(record.get("op"), str):
                            yield record

    def audit(self, heads: Mapping[str, tuple[int, str]]) -> tuple[int, list[Break]]:
        """How many lines hold, and for each file that does not the first line that is broken.

        `heads`: for a file's name the number and hash of the last line known to have been written, so that lines cut
        off at the end are missed.
        """
        sound, broken = 0, []
        for file in self._files():
            held, trouble = _verified(file, heads.get(file.name))
            sound += held
            broken += [trouble] if trouble else []
        gone = set(heads) - {file.name for file in self._files()}
        broken += [Break(f"{FOLDER}/{name}", 1, "the whole journal is gone") for name in sorted(gone)]
        return sound, broken

    def _files(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return sorted(file for file in self.folder.iterdir() if _NAME.fullmatch(file.name) and file.is_file())

    def _make_folder(self) -> None:
        local_folder(self.root, FOLDER)

    def _load_key(self) -> bytes:
        self._make_folder()
        file = self.folder / f"{writer()}.key"
        try:
            with suppress(FileExistsError):
                fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                try:
                    os.write(fd, os.urandom(32).hex().encode())
                finally:
                    os.close(fd)
            key = file.read_bytes()
        except OSError as error:
            raise journal_trouble(file, error) from error
        if len(key) < 64:  # a crash between the two steps: no line was written under it
            file.unlink(missing_ok=True)
            return self._load_key()
        return key


def local_folder(root: Path, name: str) -> Path:
    """A folder of the store that stays on this machine: it brings a `.gitignore` of its own.

    Raises:
        ReadOnly, StoreFull, Unreadable: it cannot be made.
    """
    folder = root / name
    if not (folder / ".gitignore").is_file():
        try:
            make_folder(folder)
            (folder / ".gitignore").write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise journal_trouble(folder, error) from error
    return folder


def writer() -> str:
    """12 hex that stand for this user on this machine."""
    machine = ""
    for place in _MACHINE_IDS:
        with suppress(OSError):
            machine = Path(place).read_text(encoding="ascii", errors="replace").strip()
            break
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid()) if hasattr(os, "getuid") else ""
    return sha256("\0".join((platform.node(), user, machine)).encode()).hexdigest()[:12]


def journal_trouble(path: Path, error: OSError) -> ReadOnly | StoreFull | Unreadable:
    """Why the audit cannot be kept, before anything else is written."""
    import errno

    said = f"{path} cannot be written: {error.strerror}; nothing was written."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreFull(said, "Make room, then try again.", path=str(path))
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ReadOnly(said, "Make the store writable for this user, or move it.", path=str(path))
    return Unreadable(said, "Move away what stands there, or check the disk.", path=str(path))


def _last_line(fd: int, size: int) -> tuple[bytes, int]:
    """The last whole line and where it ends."""
    start, tail = size, b""
    while start > 0:
        step_back = min(4096, start)
        start -= step_back
        os.lseek(fd, start, os.SEEK_SET)
        tail = os.read(fd, step_back) + tail
        end = tail.rfind(b"\n")
        if end >= 0 and (start == 0 or tail.rfind(b"\n", 0, end) >= 0):
            return tail[tail.rfind(b"\n", 0, end) + 1 : end], start + end + 1
    return b"", 0


def _hash(line: bytes) -> str:
    return sha256(line).hexdigest()[:32]


def _verified(file: Path, head: tuple[int, str] | None) -> tuple[int, Break | None]:
    name = f"{FOLDER}/{file.name}"
    lines = file.read_bytes().split(b"\n")
    torn = lines.pop()
    before, seen = GENESIS, ""
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except ValueError:
            return number - 1, Break(name, number, "it is no JSON")
        if not isinstance(record, dict) or record.get("seq") != number:
            return number - 1, Break(name, number, f"it is not number {number}")
        if record.get("prev") != before:
            return number - 1, Break(name, number, "it does not follow from the line before it")
        before = _hash(line)
        if head and number == head[0]:
            seen = before
    if torn:
        return len(lines), Break(name, len(lines) + 1, "it is torn; the next write takes it off")
    if head and head[0] > len(lines):
        return len(lines), Break(name, len(lines) + 1, f"{head[0] - len(lines)} lines are missing at the end")
    if head and seen != head[1]:
        return head[0] - 1, Break(name, head[0], "it is not the line that was written here")
    return len(lines), None
