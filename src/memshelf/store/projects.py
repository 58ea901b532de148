"""Which projects this machine knows, and which one a folder belongs to. Local state: nothing here is synced."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from memshelf.domain.names import slug
from memshelf.errors import BadName, BadRequest, UnknownProject, Unreadable
from memshelf.store import files
from memshelf.store.lock import StoreLock

FOLDER = Path(".agents") / "memory"
RESERVED = {"user", "project"}
_SECTION = re.compile(r'\s*\[(?:remote "(?P<remote>[^"]+)")?')
_URL = re.compile(r'\s*url\s*=\s*"?(?P<url>[^\s"]+)', re.I)


@dataclass(frozen=True, slots=True)
class Project:
    """A project as this machine has it."""

    slug: str
    root: Path
    """The folder that holds `.agents/memory`."""
    remote: str = ""
    """Its identity where it has one: the git remote without user, scheme and `.git`."""
    registered: bool = True

    @property
    def store(self) -> Path:
        return self.root / FOLDER


class Registry:
    """Slug to folders and remote, in `<user store>/.local/projects.json`; reads an older `host_paths.json` too."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = home / ".local" / "projects.json"
        self._lock = StoreLock(home)

    def all(self) -> dict[str, Project]:
        """Every registered project by slug, sorted.

        Raises:
            Unreadable: the file is there and is not what we wrote; it is never taken for empty.
        """
        return {name: _project(name, row) for name, row in sorted(self._rows().items())}

    def named(self, name: str) -> Project:
        """
        Raises:
            UnknownProject: no such slug; the message lists those there are.
        """
        known = self.all()
        if name in known:
            return known[name]
        listing = ", ".join(known) or "none yet"
        raise UnknownProject(
            f"No project is registered as {name!r}; registered: {listing}.",
            "Call register_project with slug and path, or leave 'project' out.",
        )

    def register(self, name: str, root: Path) -> Project:
        """Bind a slug to a folder of this machine; binding it again adds the folder and puts it first.

        Raises:
            BadName, BadRequest: the slug or the folder will not do; nothing was written.
        """
        project = self.checked(name, root)
        key, remote = str(project.root), project.remote

        def change(before: bytes | None) -> bytes:
            rows = _loads(before, self.path) or self._older()
            row = rows.get(project.slug, {"paths": [], "remote": remote})
            paths = [key, *(p for p in row["paths"] if p != key)]
            rows[project.slug] = {"paths": paths, "remote": remote or row.get("remote", "")}
            return (json.dumps(rows, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()

        with self._lock.held():
            files.edit(self.path, change)
        return project

    def checked(self, name: str, root: Path) -> Project:
        """The project that a slug and a folder would be.

        Raises:
            BadName, BadRequest: the slug or the folder will not do.
        """
        name = checked_slug(name)
        root = root.expanduser()
        if not root.is_absolute():
            raise BadRequest(f"'path' is not absolute: {str(root)!r}.", "Pass the project's full path as 'path'.")
        if not root.is_dir():
            raise BadRequest(
                f"'path' is no folder on this machine: {str(root)!r}.", "Pass an existing folder as 'path'."
            )
        root = root.resolve()
        if root / FOLDER == self.home.resolve():
            raise BadRequest(f"'path' {str(root)!r} holds the user store.", "Pass the project's own folder as 'path'.")
        remote = git_remote(root)
        for other in self.all().values():
            if other.slug != name and other.root == root:
                raise BadRequest(
                    f"'path' {str(root)!r} is registered as {other.slug!r} already.",
                    f"Use project={other.slug!r}, or pass another path.",
                )
        return Project(name, root, remote)

    def of(self, folder: Path) -> Project | None:
        """The project of a folder: the nearest one upward with a store or a `.git`; None where there is none.

        One that is not registered gets the slug of its remote or folder, and is registered by its first write.
        """
        root = project_root(folder, self.home)
        if root is None:
            return None
        remote = git_remote(root)
        known = self.all()
        for project in known.values():
            if root in _paths(self._rows().get(project.slug, {})):
                return Project(project.slug, root, project.remote)
        for project in known.values():
            if remote and project.remote == remote:
                return Project(project.slug, root, remote, registered=False)
        return Project(_free_slug(remote, root, known), root, remote, registered=False)

    def _rows(self) -> dict[str, dict]:
        snapshot = files.read(self.path)
        rows = _loads(snapshot.data if snapshot else None, self.path)
        return rows or self._older()

    def _older(self) -> dict[str, dict]:
        older = files.read(self.home / "host_paths.json")
        try:
            paths = json.loads(older.data) if older else {}
            return {name: {"paths": [path], "remote": ""} for name, path in paths.items() if isinstance(path, str)}
        except (ValueError, AttributeError):
            return {}


def checked_slug(name: str) -> str:
    """
    Raises:
        BadName: it is no slug, or one that addresses need for themselves.
    """
    made = slug(name, "slug")
    if made != name:
        raise BadName(f"'slug' {name!r} is no slug.", f"Pass slug={made!r}.")
    if name in RESERVED:
        raise BadName(f"'slug' {name!r} is reserved.", "Pass the project's own short name.")
    return name


def project_root(folder: Path, home: Path) -> Path | None:
    """The nearest folder upward that holds `.agents/memory` or `.git`, the user store's own folder not counted."""
    here, user = folder.resolve(), home.resolve()
    for candidate in (here, *here.parents):
        if candidate == user or user in candidate.parents:
            continue
        own = (candidate / FOLDER).resolve() == user
        if not own and ((candidate / FOLDER).is_dir() or (candidate / ".git").exists()):
            return candidate
    return None


def git_remote(root: Path) -> str:
    """The remote `origin` (else the first) as `host/path`; "" where there is none."""
    config = root / ".git"
    try:
        if config.is_file():  # a worktree or submodule: a pointer to the git folder
            folder = Path(config.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip())
            folder = folder if folder.is_absolute() else root / folder
            common = folder / "commondir"
            config = (folder / common.read_text("utf-8").strip()) if common.is_file() else folder
        text = (config / "config").read_text("utf-8", "replace")
    except (OSError, ValueError):  # ValueError: a pointer that is no path
        return ""
    found: dict[str, str] = {}
    remote = ""
    for line in text.splitlines():
        if section := _SECTION.match(line):
            remote = section["remote"] or ""
        elif remote and (match := _URL.match(line)):
            found.setdefault(remote, match["url"])
    url = found.get("origin") or next(iter(found.values()), "")
    return plain_remote(url)


def plain_remote(url: str) -> str:
    """A remote's URL or scp-like form as `host/path`; a local path stays out ("")."""
    if "://" in url:
        try:
            parts = urlsplit(url)
        except ValueError:
            return ""
        host, path = parts.hostname or "", parts.path
        if parts.scheme == "file":
            return ""
    elif match := re.fullmatch(r"(?:[^@/]+@)?(?P<host>[^:/]{2,}):(?P<path>.+)", url):  # one letter is a drive
        host, path = match["host"].lower(), match["path"]
    else:
        return ""
    return f"{host}/{path.strip('/').removesuffix('.git')}" if host else ""


def _free_slug(remote: str, root: Path, known: dict[str, Project]) -> str:
    for words in (remote.rpartition("/")[2], root.name, f"{root.parent.name}-{root.name}"):
        try:
            name = slug(words.replace(".", "-"), "slug") if words else ""
        except BadName:
            continue
        if name and name not in known and name not in RESERVED:
            return name
    number = 2
    while f"project-{number}" in known:
        number += 1
    return f"project-{number}"


def _loads(data: bytes | None, path: Path) -> dict[str, dict]:
    if not data or not data.strip():
        return {}
    try:
        rows = json.loads(data)
        sound = all(isinstance(row["paths"], list) for row in rows.values())
    except (ValueError, KeyError, TypeError, AttributeError):
        sound, rows = False, {}
    if not sound:
        raise Unreadable(f"{path} is not the list of projects that memshelf writes.", "Mend it or move it away.")
    return rows


def _paths(row: dict) -> list[Path]:
    return [Path(path) for path in row.get("paths", ())]


def _project(name: str, row: dict) -> Project:
    paths = _paths(row)
    here = next((path for path in paths if path.is_dir()), paths[0] if paths else Path("/nonexistent"))
    return Project(name, here, row.get("remote", ""))
