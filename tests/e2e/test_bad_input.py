"""Every argument of every tool, as tools/list names it, with a value of the wrong type."""

from __future__ import annotations

from typing import Any

import pytest
from door import Home, session, tree

pytestmark = pytest.mark.anyio

GOOD: dict[str, dict[str, Any]] = {
    "search_memory": {"query": "good"},
    "add_memory": {"kind": "note", "name": "good", "collection": "work", "text": "Another good one."},
    "revise_memory": {"file": "user/notes/work/good.md", "insert": "One more."},
    "delete_memory": {"id": "filled in by the test"},
    "get_project_memories": {},
    "register_project": {"slug": "heron", "path": "filled in by the test"},
}
VALUES: dict[str, list[Any]] = {
    "string": [7, True, None, ["x"], {"x": "y"}],
    "array": [7, None, {"x": "y"}, "not json", [1], [None], [["x"]]],
    "integer": ["many", None, [1], {"x": 1}, 1.5],
    "number": ["high", None, [1], {"x": 1}],
}


async def test_a_value_of_the_wrong_type_is_refused_by_the_name_of_its_argument(home: Home) -> None:
    async with session(home) as agent:
        first = await agent.good("add_memory", kind="note", name="good", collection="work", text="A good one.")
        calls = GOOD | {
            "delete_memory": {"id": first["id"]},
            "memory_history": {"since": "2026-01-01"},
            "review_memory": {"id": first["id"], "action": "verify", "evidence": "run 7"},
            "register_project": {"slug": "heron", "path": str(home.repo)},
        }
        tools = {tool.name: tool.input_schema for tool in (await agent.client.list_tools()).tools}
        assert set(tools) == set(calls)
        before, tried = tree(home.root), 0
        for tool, schema in tools.items():
            for argument, shape in schema["properties"].items():
                for value in VALUES[shape["type"]]:
                    answer = await agent.call(tool, **calls[tool] | {argument: value})
                    assert answer.code == "BAD_REQUEST", (tool, argument, value, answer.text)
                    assert f"'{argument}" in answer.text, (tool, argument, value, answer.text)
                    assert "pydantic" not in answer.text
                    assert tree(home.root) == before, (tool, argument, value)
                    tried += 1
            for argument in schema.get("required", ()):
                rest = {name: value for name, value in calls[tool].items() if name != argument}
                answer = await agent.call(tool, **rest)
                assert (answer.code, f"'{argument}' is missing" in answer.text) == ("BAD_REQUEST", True), answer.text
            answer = await agent.call(tool, **calls[tool] | {"colour": "red"})
            assert (answer.code, "'colour'" in answer.text) == ("BAD_REQUEST", True), answer.text
            assert tree(home.root) == before
        assert tried > 150
        for tool in (
            "search_memory", "get_project_memories", "memory_history", "add_memory", "review_memory", "revise_memory",
            "delete_memory",
        ):  # fmt: skip
            await agent.good(tool, **calls[tool])
        await agent.good("register_project", **calls["register_project"])
        assert tree(home.root) != before


async def test_an_unknown_kind_is_answered_with_the_kinds_and_a_missing_destination_with_what_is_missing(
    home: Home,
) -> None:
    from memshelf.domain.kinds import load

    async with session(home) as agent:
        await agent.good("add_memory", kind="note", name="good", collection="work", text="A good one.")
        before = tree(home.root)
        unknown = await agent.call("add_memory", kind="novel", name="x", text="x")
        assert unknown.code == "UNKNOWN_KIND"
        for kind in load().values():
            if kind.path:
                assert any(kind.name in line and kind.about in line for line in unknown.text.splitlines()), kind.name
        missing = await agent.call("add_memory", kind="note", name="x", text="x")
        assert missing.code == "BAD_REQUEST"
        assert "'collection'" in missing.text
        assert "work" in missing.text
        homeless = await agent.call("add_memory", kind="decision", name="x", text="x")
        assert homeless.code == "PROJECT_REQUIRED"
        assert "register_project" in homeless.text
        unfiled = await agent.call("add_memory", kind="unfiled", name="x", text="x")
        assert not unfiled.ok
        for words in ("  ", "\u200b\u2060", "\n\n"):
            assert (await agent.call("add_memory", kind="fact", name="x", text=words)).code == "EMPTY_TEXT"
        for time in ("soon", "2026-13-01", "2026-02-30", "2026-01-01T10:00", "25:00"):
            answer = await agent.call("add_memory", kind="fact", name="x", text="x", valid_from=time)
            assert (answer.code, "valid_from" in answer.text) == ("BAD_REQUEST", True), (time, answer.text)
        backwards = {"valid_from": "2026-02-02", "valid_to": "2026-02-01"}
        answer = await agent.call("add_memory", kind="fact", name="x", text="x", **backwards)
        assert (answer.code, "valid_to" in answer.text) == ("BAD_REQUEST", True)
        for confidence in (-0.1, 1.01, 2):
            answer = await agent.call("add_memory", kind="fact", name="x", text="x", confidence=confidence)
            assert (answer.code, "confidence" in answer.text) == ("BAD_REQUEST", True)
        for kind in ("novel", ""):
            answer = await agent.call("search_memory", query="good", kinds=[kind])
            assert answer.code == "UNKNOWN_KIND", (kind, answer.text)
        assert tree(home.root) == before
        await agent.good("add_memory", kind="fact", name="x", text="x", valid_from="2026-02-01", valid_to="2026-02-02")
