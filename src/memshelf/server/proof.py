"""The main job, proven live: start a server as a host does, on a throw-away store, and add, search, revise and delete.

Run as `python -m memshelf.server.proof COMMAND...`; prints one JSON object a step, exits 1 when a step fails.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FACT = "The proof of memshelf is a fact that another session finds."
REVISED = "The proof of memshelf is a fact that outlives its session."


async def prove(command: Sequence[str], say: Any) -> bool:
    """Run the steps against `command`; `say(step, ok, detail)` hears each. Returns whether all passed."""
    from mcp import Client, StdioServerParameters

    with tempfile.TemporaryDirectory(prefix="memshelf-proof-") as scratch:
        home = Path(scratch) / "home"
        home.mkdir()
        keep = ("PATH", "PYTHONPATH", "SYSTEMROOT", "LANG", "LC_ALL", "VIRTUAL_ENV")
        env = {key: os.environ[key] for key in keep if key in os.environ}
        env |= {"HOME": str(home), "USERPROFILE": str(home), "MEMSHELF_HOME": str(home / "memory")}
        start = StdioServerParameters(command=command[0], args=list(command[1:]), env=env, cwd=str(home))

        async def call(client: Any, tool: str, **arguments: Any) -> tuple[bool, str, dict[str, Any]]:
            answer = await client.call_tool(tool, arguments)
            text = "\n".join(getattr(part, "text", "") for part in answer.content)
            return not answer.is_error, text, answer.structured_content or {}

        passed = True

        def check(step: str, ok: bool, detail: str) -> None:
            nonlocal passed
            passed = passed and ok
            say(step, ok, detail)

        async with Client(start) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            check("start", "search_memory" in tools, f"{len(tools)} tools: {', '.join(tools)}")
            ok, text, done = await call(client, "add_memory", text=FACT, kind="note", name="proof", collection="tools")
            check("add", ok, text)
        entry = str(done.get("id", ""))
        async with Client(start) as client:
            ok, _, found = await call(client, "search_memory", query="which fact finds another session")
            hit = next(iter(found.get("hits", [])), {})
            check("search in a new session", ok and hit.get("id") == entry, f"{hit.get('address')}: {hit.get('text')}")
            ok, text, _ = await call(client, "revise_memory", id=entry, text=REVISED)
            check("revise", ok, text)
            ok, text, _ = await call(client, "delete_memory", id=entry)
            check("delete", ok, text)
            ok, text, _ = await call(client, "delete_memory", id=entry)
            check("delete again is refused", not ok and text.startswith("NOT_FOUND"), text)
            ok, _, found = await call(client, "search_memory", query="which fact finds another session")
            check("search finds nothing", ok and not found.get("hits"), str(found.get("outcome")))
    return passed


def main(command: Sequence[str]) -> int:
    """Print each step; 0 when all passed."""
    import anyio

    def say(step: str, ok: bool, detail: str) -> None:
        print(json.dumps({"step": step, "ok": ok, "detail": detail}, ensure_ascii=False), flush=True)

    return 0 if anyio.run(prove, command, say) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
