"""Several servers and a person write to one file at the same moment."""

from __future__ import annotations

import subprocess
import sys
from contextlib import AsyncExitStack

import anyio
import pytest
from door import Home, session

pytestmark = pytest.mark.anyio

UNLOCKED = """
import sys, pathlib
path, who = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.stdin.readline()
for n in range(300):
    path.write_text(path.read_text() + f"- {who} {n}\\n")
"""


async def test_four_servers_lose_no_add_and_tear_no_line(home: Home) -> None:
    added: dict[str, str] = {}

    async def adds(agent, who: int) -> None:
        for n in range(25):
            text = f"fact {who}-{n} stands here"
            done = await agent.good("add_memory", kind="note", name="shared", collection="work", text=text)
            added[text] = done["id"]

    async with AsyncExitStack() as stack:
        agents = [await stack.enter_async_context(session(home)) for _ in range(4)]
        async with anyio.create_task_group() as group:
            for who, agent in enumerate(agents):
                group.start_soon(adds, agent, who)
        whole = await agents[0].good("get_project_memories", file="user/notes/work/shared.md")
    assert {entry["text"]: entry["id"] for entry in whole["entries"]} == added
    assert len(whole["entries"]) == len(added) == 100


def test_the_same_without_a_lock_loses_some(tmp_path) -> None:
    file = tmp_path / "x.md"
    file.write_text("")
    writers = [
        subprocess.Popen([sys.executable, "-c", UNLOCKED, str(file), str(who)], stdin=subprocess.PIPE, text=True)
        for who in range(4)
    ]
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate()
    if file.read_text().count("\n") == 1200:
        pytest.skip("the unlocked control lost nothing on this machine, so the locked run proves nothing")
    assert file.read_text().count("\n") < 1200
