"""The shipped door: a real MCP client on a real server process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult


@dataclass
class Answer:
    """What a tool said."""

    ok: bool
    text: str
    data: Any

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


class Person:
    """Who answers what a host puts to them; keeps the questions."""

    def __init__(self, agrees: bool) -> None:
        self.agrees = agrees
        self.asked: list[str] = []

    async def __call__(self, _context: Any, question: Any) -> ElicitResult:
        self.asked.append(question.message)
        return ElicitResult(action="accept", content={"agree": True}) if self.agrees else ElicitResult(action="decline")


@asynccontextmanager
async def session(
    home: Home, *options: str, cwd: Path | None = None, mode: str = "auto", person: Person | None = None
) -> AsyncIterator[Session]:
    """A server started as a host does, and a client on it; with `person` the host can put questions to them."""
    start = StdioServerParameters(
        command=sys.executable, args=["-m", "memshelf", "serve", *options], env=home.env, cwd=str(cwd or home.home)
    )
    async with Client(start, mode=mode, elicitation_callback=person) as client:
        yield Session(client)


def command(home: Home, *arguments: str, cwd: Path | None = None, stdin: str = "") -> Answer:
    """The installed command; `data` is what it printed as JSON, where it did."""
    run = subprocess.run(
        [sys.executable, "-m", "memshelf", *arguments],
        env=home.env | {"NO_COLOR": "1"}, cwd=cwd or home.home, input=stdin, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in run.stderr, run.stderr
    try:
        data = json.loads(run.stdout)
    except ValueError:
        data = None
    return Answer(run.returncode == 0, run.stdout if run.returncode == 0 else run.stderr, data)


def tree(*roots: Path) -> str:
    """A hash of every path and byte below the roots, without locks, local state and the journal (refusals go there)."""
    seen = hashlib.sha256()
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.is_file() and not path.is_symlink() and not {".lock", ".local", ".journal"} & set(path.parts):
                seen.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return seen.hexdigest()


def settled(path: Path, content: bytes) -> None:
    """Write as a person did a while ago, so that no reader waits for the save to come to rest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    moment = path.stat().st_mtime - 10
    os.utime(path, (moment, moment))
