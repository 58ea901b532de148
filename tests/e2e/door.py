"""The shipped door: a real MCP client on a real server process."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters


@dataclass
class Answer:
    """What a tool said."""

    ok: bool
    text: str
    data: dict[str, Any]

    @property
    def code(self) -> str:
        return "" if self.ok else self.text.partition(":")[0]


@dataclass
class Home:
    """A scratch home: user store, one repository, and the environment of the servers in it."""

    root: Path
    options: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for folder in (self.home, self.repo / ".git"):
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def store(self) -> Path:
        return self.home / ".agents" / "memory"

    @property
    def repo(self) -> Path:
        return self.root / "heron"

    @property
    def env(self) -> dict[str, str]:
        kept = {key: os.environ[key] for key in ("PATH", "PYTHONPATH", "LANG") if key in os.environ}
        return kept | {"HOME": str(self.home), "MEMSHELF_HOME": str(self.store)}


class Session:
    """One client session."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> Answer:
        answer = await self.client.call_tool(tool, arguments)
        text = "\n".join(getattr(part, "text", "") for part in answer.content)
        return Answer(not answer.is_error, text, answer.structured_content or {})

    async def good(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await self.call(tool, **arguments)
        assert answer.ok, answer.text
        return answer.data

    async def hits(self, query: str, **arguments: Any) -> list[dict[str, Any]]:
        return (await self.good("search_memory", query=query, **arguments))["hits"]


@asynccontextmanager
async def session(home: Home, *options: str, cwd: Path | None = None, mode: str = "auto") -> AsyncIterator[Session]:
    """A server started as a host does, and a client on it."""
    start = StdioServerParameters(
        command=sys.executable, args=["-m", "memshelf", "serve", *options], env=home.env, cwd=str(cwd or home.home)
    )
    async with Client(start, mode=mode) as client:
        yield Session(client)


def tree(*roots: Path) -> str:
    """A hash of every path and byte below the roots, without locks and local state."""
    seen = hashlib.sha256()
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.is_file() and not path.is_symlink() and not {".lock", ".local"} & set(path.parts):
                seen.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return seen.hexdigest()


def settled(path: Path, content: bytes) -> None:
    """Write as a person did a while ago, so that no reader waits for the save to come to rest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    moment = path.stat().st_mtime - 10
    os.utime(path, (moment, moment))
