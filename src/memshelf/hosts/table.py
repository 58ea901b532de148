"""Where each host keeps its MCP servers and what one server looks like there: one row a host. Reads no file.

A place is written with `/` and begins with one of BASES or, in a project, with its own first folder. The comment over a
row says how it is known: run (the host itself read a file written from this row), documents (the host's own), others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Literal

from memshelf.errors import BadRequest

NAME = "memshelf"
"""The key of our entry in every host."""

Scope = Literal["user", "project"]
Platform = Literal["linux", "darwin", "win32"]


class Part(Enum):
    """The pieces of a command that a shape leaves open."""

    PROGRAM = "the first word"
    ARGUMENTS = "the other words"
    WHOLE = "all words in one list"


BASES: Mapping[str, tuple[str, str]] = {
    "~": ("", ""),
    "$CONFIG": ("XDG_CONFIG_HOME", ".config"),
    "$SUPPORT": ("", "Library/Application Support"),
    "$APPDATA": ("APPDATA", "AppData/Roaming"),
    "$CLAUDE": ("CLAUDE_CONFIG_DIR", ""),
    "$CODEX": ("CODEX_HOME", ".codex"),
    "$GEMINI": ("GEMINI_CLI_HOME", ""),
}
"""Name -> (the variable that moves it, where it is below the home folder otherwise)."""


@dataclass(frozen=True, slots=True)
class Place:
    """One file, which a host has had under more than one name."""

    paths: tuple[str, ...]
    """The first one that exists, else the first one whose folder exists, else the first one."""
    instead: tuple[str, ...] = ()
    """Names that a new file does not get; one that exists comes before all others."""

    def candidates(self) -> tuple[str, ...]:
        return self.instead + self.paths


@dataclass(frozen=True, slots=True)
class Host:
    """A program that starts MCP servers from a configuration file."""

    key: str
    title: str
    format: Literal["json", "jsonc", "toml"]
    """`jsonc`: the host itself takes comments. Both are read and edited alike, and no comma or comment is added."""
    user: Mapping[str, Place]
    """By platform."""
    project: Place | None
    keys: tuple[str, ...]
    """The way from the root of the file to the object that holds the servers."""
    shape: tuple[tuple[str, Any], ...]
    """Our entry in its order; Part values are filled in."""
    signs: tuple[str, ...]
    """Files or folders of which one is there when the host is installed."""
    programs: tuple[str, ...] = ()
    """Or one of these is on PATH."""
    environment: str = "env"
    """The member of an entry that a person fills with variables; it is kept when the rest is replaced."""

    @property
    def path(self) -> tuple[str, ...]:
        """The way from the root of the file to our entry."""
        return (*self.keys, NAME)

    def place(self, scope: str, platform: str) -> Place:
        """Raises: BadRequest for an unknown scope, or a project where the host reads none."""
        if scope == "user":
            return self.user.get(platform, self.user["linux"])
        if scope != "project":
            raise BadRequest(f"scope is {scope!r}, not user or project.")
        if self.project is None:
            raise BadRequest(f"{self.title} reads no configuration file in a project.", "Use the user scope.")
        return self.project

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """Our entry for a command. Raises: BadRequest for an empty command or one that is not Unicode."""
        if not command or not command[0]:
            raise BadRequest("the command that starts the server is empty.")
        try:
            "".join(command).encode()
        except UnicodeEncodeError as error:
            raise BadRequest("the command that starts the server is not valid Unicode.") from error
        parts = {Part.PROGRAM: command[0], Part.ARGUMENTS: list(command[1:]), Part.WHOLE: list(command)}
        return {
            key: parts[value] if isinstance(value, Part) else dict(value) if isinstance(value, dict) else value
            for key, value in self.shape
        }


def located(place: str, home: Path, environ: Mapping[str, str]) -> Path:
    """A place of the user scope as a path; a variable that holds no absolute path counts as not set, as XDG has it."""
    base, _, rest = place.partition("/")
    variable, below = BASES[base]
    moved = Path(environ.get(variable, "")) if variable else Path()
    return (moved if moved.is_absolute() else home / below) / rest


def shown(place: str) -> str:
    """A place as a person would write it."""
    base, _, rest = place.partition("/")
    if base not in BASES:
        return place
    start = "%APPDATA%" if base == "$APPDATA" else "/".join(p for p in ("~", BASES[base][1]) if p)
    return f"{start}/{rest}"


def everywhere(*paths: str, instead: tuple[str, ...] = ()) -> Mapping[str, Place]:
    return {"linux": Place(paths, instead)}


def _code(base: str) -> Place:
    return Place(tuple(f"{base}/{name}/User/mcp.json" for name in ("Code", "Code - Insiders", "VSCodium")))


_COMMAND = (("command", Part.PROGRAM), ("args", Part.ARGUMENTS))
_STDIO = (("type", "stdio"), *_COMMAND)

_ROWS = (
    # Run: Claude Code 2.1.197, user file and CLAUDE_CONFIG_DIR; 2.1.332 wrote the project file.
    Host(
        key="claude-code",
        title="Claude Code",
        format="json",
        user=everywhere("$CLAUDE/.claude.json"),
        project=Place((".mcp.json",)),
        keys=("mcpServers",),
        shape=(*_STDIO, ("env", {})),
        signs=("$CLAUDE/.claude.json", "~/.claude"),
        programs=("claude",),
    ),
    # Documents.
    Host(
        key="cursor",
        title="Cursor",
        format="json",
        user=everywhere("~/.cursor/mcp.json"),
        project=Place((".cursor/mcp.json",)),
        keys=("mcpServers",),
        shape=(*_STDIO, ("env", {})),
        signs=("~/.cursor",),
        programs=("cursor", "cursor-agent"),
    ),
    # Documents, and its issues for the project file; some versions want `source`, the others ignore it.
    Host(
        key="zed",
        title="Zed",
        format="jsonc",
        user={
            "linux": Place(("$CONFIG/zed/settings.json",)),
            "darwin": Place(("~/.config/zed/settings.json",)),
            "win32": Place(("$APPDATA/Zed/settings.json",)),
        },
        project=Place((".zed/settings.json",)),
        keys=("context_servers",),
        shape=(("source", "custom"), *_COMMAND, ("env", {})),
        signs=("$CONFIG/zed", "~/.config/zed", "$APPDATA/Zed"),
        programs=("zed", "zeditor", "zedit"),
    ),
    # Others, who differ by version about the folder.
    Host(
        key="antigravity",
        title="Antigravity",
        format="json",
        user=everywhere("~/.gemini/config/mcp_config.json", "~/.gemini/antigravity/mcp_config.json"),
        project=Place((".agents/mcp_config.json",)),
        keys=("mcpServers",),
        shape=(*_COMMAND, ("env", {})),
        signs=("~/.gemini/config", "~/.gemini/antigravity", "~/.antigravity"),
        programs=("antigravity", "agy"),
    ),
    # Documents; the names beside Code are its builds.
    Host(
        key="vscode",
        title="VS Code",
        format="jsonc",
        user={"linux": _code("$CONFIG"), "darwin": _code("$SUPPORT"), "win32": _code("$APPDATA")},
        project=Place((".vscode/mcp.json",)),
        keys=("servers",),
        shape=_STDIO,
        signs=tuple(
            f"{base}/{name}/User"
            for base in ("$CONFIG", "$SUPPORT", "$APPDATA")
            for name in ("Code", "Code - Insiders", "VSCodium")
        ),
        programs=("code", "code-insiders", "codium"),
    ),
    # Run: 0.171.0, user file. Others: the project file, read in trusted projects only.
    Host(
        key="codex",
        title="Codex",
        format="toml",
        user=everywhere("$CODEX/config.toml"),
        project=Place((".codex/config.toml",)),
        keys=("mcp_servers",),
        shape=(*_COMMAND, ("startup_timeout_sec", 30)),
        signs=("$CODEX",),
        programs=("codex",),
    ),
    # Run: 0.61.0, user file and GEMINI_CLI_HOME; it takes comments and refuses trailing commas.
    Host(
        key="gemini",
        title="Gemini CLI",
        format="jsonc",
        user=everywhere("$GEMINI/.gemini/settings.json"),
        project=Place((".gemini/settings.json",)),
        keys=("mcpServers",),
        shape=_COMMAND,
        signs=("$GEMINI/.gemini/settings.json", "$GEMINI/.gemini/tmp"),
        programs=("gemini",),
    ),
    # Run: 1.18.33, user file. Issues: a .jsonc wins over a .json.
    Host(
        key="opencode",
        title="opencode",
        format="jsonc",
        user=everywhere("$CONFIG/opencode/opencode.json", instead=("$CONFIG/opencode/opencode.jsonc",)),
        project=Place(("opencode.json",), instead=("opencode.jsonc",)),
        keys=("mcp",),
        shape=(("type", "local"), ("command", Part.WHOLE), ("enabled", True)),
        signs=("$CONFIG/opencode", "~/.opencode"),
        programs=("opencode",),
        environment="environment",
    ),
)

HOSTS: Mapping[str, Host] = {row.key: row for row in _ROWS}
"""Every host by its key, the ones that are supported first first."""
