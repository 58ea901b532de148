"""Puts our server into a host's configuration file and takes it out again, seen before it is done.

`plan` and `plan_undo` read and return a Change; `apply` alone writes. It knows nothing about memories, the command
line or mcp: the command that a host shall start is an argument.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from memshelf.errors import BadRequest, ChangedUnderneath
from memshelf.hosts import disk
from memshelf.hosts.broken import Broken
from memshelf.hosts.table import HOSTS, Host, located, shown

BACKUP = ".memshelf-backup"


@dataclass(frozen=True, slots=True)
class Change:
    """What one configuration file holds and what it would hold. Its text may carry other servers' secrets: no repr."""

    host: str
    path: Path
    before: str | None = field(repr=False)
    """None: the file does not exist."""
    after: str | None = field(repr=False)
    """None: the file goes away; only an undo says so."""

    @property
    def empty(self) -> bool:
        return self.before == self.after

    def diff(self) -> str:
        """A unified diff, empty for an empty change."""
        from difflib import unified_diff

        old, new = (str(self.path) if text is not None else os.devnull for text in (self.before, self.after))
        sides = [(text or "").splitlines(keepends=True) for text in (self.before, self.after)]
        lines = unified_diff(sides[0], sides[1], old, new)
        return "".join(
            line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n" for line in lines
        )


def detect(home: Path, environ: Mapping[str, str], platform: str) -> list[Host]:  # noqa: ARG001 signs of every platform are looked for
    """The hosts that are installed, in the table's order."""
    from shutil import which

    def installed(host: Host) -> bool:
        return any(located(sign, home, environ).exists() for sign in host.signs) or any(
            which(program, path=environ.get("PATH", "")) for program in host.programs
        )

    return [host for host in HOSTS.values() if installed(host)]


def candidates(
    host: Host, *, home: Path, project: Path | None, environ: Mapping[str, str], platform: str, scope: str = "user"
) -> list[Path]:
    """Every file in which this host may look for servers, the one that is written first. Raises: BadRequest."""
    place = host.place(scope, platform)
    if scope == "project":
        if project is None:
            raise BadRequest("the project scope needs a project folder.")
        paths = {name: project / name for name in place.candidates()}
    else:
        paths = {name: located(name, home, environ) for name in place.candidates()}
    there = [name for name in paths if paths[name].is_file()]
    ready = [name for name in place.paths if paths[name].parent.is_dir()]
    first = (there or ready or list(place.paths))[0]
    return [paths[first], *(path for name, path in paths.items() if name != first)]


def plan(
    host: Host,
    command: Sequence[str],
    *,
    home: Path,
    project: Path | None = None,
    environ: Mapping[str, str],
    platform: str,
    scope: str = "user",
) -> Change:
    """The change after which the host starts this command; variables that a person gave our entry stay.

    Raises:
        BadRequest: the file cannot be read as what it should be (names file and line), or the scope has no file.
        Unreadable: the disk does not give the file.
    """
    path = candidates(host, home=home, project=project, environ=environ, platform=platform, scope=scope)[0]
    before = disk.read(path)
    with _named(path):
        after = _with_entry(host, before or "", host.entry(command))
    return Change(host.key, path, before, after)


def plan_undo(
    host: Host,
    *,
    home: Path,
    project: Path | None = None,
    environ: Mapping[str, str],
    platform: str,
    scope: str = "user",
    backup_suffix: str = BACKUP,
) -> Change | None:
    """The change that takes our entry out, None where there is none.

    A file that holds what `apply` made of its backup becomes that backup; one that `apply` made from nothing goes
    away. Otherwise the entry is cut out, and of the objects around it those that the file did not have before.
    Raises: as `plan`.
    """
    for path in candidates(host, home=home, project=project, environ=environ, platform=platform, scope=scope):
        before = disk.read(path)
        with _named(path):
            if before is None or (entry := _format(host).get(before, host.path)) is None:
                continue
            after = _without_entry(host, before, entry, _backup_of(host, _beside(path, backup_suffix)))
        return Change(host.key, path, before, after)
    return None


def undo(
    host: Host,
    *,
    home: Path,
    project: Path | None = None,
    environ: Mapping[str, str],
    platform: str,
    scope: str = "user",
    backup_suffix: str = BACKUP,
) -> Change | None:
    """Does what `plan_undo` plans, and returns it. Raises: as `plan` and `apply`."""
    change = plan_undo(
        host,
        home=home,
        project=project,
        environ=environ,
        platform=platform,
        scope=scope,
        backup_suffix=backup_suffix,
    )
    if change is not None:
        apply(change, backup_suffix)
    return change


def snippet(host: Host, command: Sequence[str]) -> str:
    """What a person would paste, under a line for each file where it may go."""
    users = dict.fromkeys(shown(path) for place in host.user.values() for path in place.paths)
    where = [f"{host.title}, for you: {' or '.join(users)}"]
    if host.project is not None:
        where.append(f"{host.title}, for one project: {' or '.join(host.project.paths)}")
    return "\n".join(where) + "\n\n" + _format(host).put("", host.path, host.entry(command))


def apply(change: Change, backup_suffix: str = BACKUP) -> Path | None:
    """Writes a change, whole or not at all, if the file still is what the change was planned on; returns the backup.

    The backup lies beside the file and holds it as it was before this change, or before our first one where only we
    have changed it since. A change that brings the backup back uses it up. A file behind a symbolic link is written
    where it is.

    Raises:
        ChangedUnderneath: the file is not what it was; nothing is written.
        ReadOnly, StoreFull, Unreadable: the disk refuses; nothing is written.
    """
    if change.empty:
        return None
    target, backup = Path(os.path.realpath(change.path)), _beside(change.path, backup_suffix)
    if disk.read(change.path) != change.before:
        raise ChangedUnderneath(f"{change.path} has changed since it was read.", "Plan again.")
    with disk.writing(change.path):
        if change.after is None:
            target.unlink()
            return None
        kept = None if change.before is None else _kept(change, backup)
        if kept is not None:
            disk.replace(backup, kept, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        disk.replace(target, change.after, target)
        if kept is None and change.before is not None and disk.peek(backup) == change.after:
            backup.unlink()
            return None
    return None if change.before is None else backup


def _kept(change: Change, backup: Path) -> str | None:
    """What the backup has to hold, None when it has to stay as it is."""
    old = disk.peek(backup)
    if old is None:
        return change.before
    if old == change.after:
        return None
    host, before = HOSTS[change.host], change.before or ""
    with suppress(Broken):
        entry = _format(host).get(before, host.path)
        if entry is not None and _is_ours(host, old, before, entry):
            return None
    return change.before


# The entry in the text


def _format(host: Host) -> Any:
    """The editor of the host's format: get, missing, put, drop."""
    return import_module(f"memshelf.hosts.{'toml' if host.format == 'toml' else 'jsonc'}")


def _with_entry(host: Host, text: str, entry: dict[str, Any]) -> str:
    there = _format(host).get(text, host.path)
    variables = there.get(host.environment) if isinstance(there, dict) else None
    if isinstance(variables, dict) and (variables or host.environment in entry):
        entry = {**entry, host.environment: variables}
    return _format(host).put(text, host.path, entry)


def _is_ours(host: Host, old: str, now: str, entry: Any) -> bool:
    """Whether a text is its backup with our entry put in and nothing else."""
    edit = _format(host)
    return edit.get(old, host.path) is None and edit.put(old, host.path, entry) == now


def _without_entry(host: Host, text: str, entry: Any, backup: str | None) -> str | None:
    edit = _format(host)
    if backup is not None and _is_ours(host, backup, text, entry):
        return backup
    if edit.put("", host.path, entry) == text:
        return None
    prune = len(host.keys) if backup is None else min(edit.missing(backup, host.path), len(host.keys))
    rest = edit.drop(text, host.path, prune)
    return None if backup is None and not rest.strip("\ufeff{} \t\r\n") else rest


def _backup_of(host: Host, path: Path) -> str | None:
    """The backup if it is one of this format, None otherwise: then it says nothing about the file."""
    text = disk.peek(path)
    with suppress(Broken):
        return text if text is None or _format(host).missing(text, host.path) >= 0 else None
    return None


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except Broken as error:
        remedy = "Mend the file by hand and try again; nothing was written."
        raise BadRequest(
            f"{path}, line {error.line}: {error.what}.", remedy, path=str(path), line=error.line
        ) from error
