"""The structure that docs/ARCHITECTURE.md promises: floors, sizes, names, and what the server shows of itself."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from memshelf.memory import Memory
from memshelf.server.app import build

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src" / "memshelf").rglob("*.py"))
LONGEST = 350
LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
NAMELESS = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}


@pytest.fixture
def tools(tmp_path):
    """What tools/list answers, as a host gets it."""
    server = build(Memory.open("agent", {"MEMSHELF_HOME": str(tmp_path / "none")}, tmp_path))
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in asyncio.run(server.list_tools())]


def ran(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)


def test_imports_point_down_only():
    pytest.importorskip("importlinter")
    check = ran("-c", LINT)
    assert check.returncode == 0, check.stdout + check.stderr


def test_a_floor_that_looks_up_is_found(tmp_path):
    """The positive control: the same contract, on a package that breaks it."""
    pytest.importorskip("importlinter")
    package = tmp_path / "upside"
    for floor, source in (("low", "from upside.high import x"), ("high", "x = 1")):
        (package / floor).mkdir(parents=True)
        (package / floor / "__init__.py").write_text(source + "\n")
    (package / "__init__.py").write_text("")
    (tmp_path / ".importlinter").write_text(
        "[importlinter]\nroot_package = upside\n\n[importlinter:contract:floors]\nname = floors\ntype = layers\n"
        "layers =\n    high\n    low\ncontainers = upside\n"
    )
    check = subprocess.run(
        [sys.executable, "-c", LINT],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert check.returncode == 1
    assert "upside.low is not allowed to import upside.high" in check.stdout


def test_ruff_finds_nothing():
    pytest.importorskip("ruff", reason="ruff is not installed")
    check = ran("-m", "ruff", "check", "--no-cache", ".")
    assert check.returncode == 0, check.stdout + check.stderr


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_module_is_one_thing_of_readable_length(module):
    assert len(module.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_every_module_is_named_after_what_it_is_about():
    assert [path for path in MODULES if path.stem in NAMELESS or path.parent.name in NAMELESS] == []


def test_every_module_says_what_it_is():
    silent = [path for path in MODULES if (text := path.read_text(encoding="utf-8")) and not text.startswith('"""')]
    assert silent == []


def test_the_list_of_tools_stays_under_3500_tokens(tools):
    assert len(json.dumps(tools, ensure_ascii=False)) / 4 < 3_500


def test_no_schema_has_references_or_alternatives(tools):
    """Some hosts read neither."""
    for tool in tools:
        shown = json.dumps([tool["inputSchema"], tool.get("outputSchema")])
        assert "$ref" not in shown, tool["name"]
        assert "anyOf" not in shown, tool["name"]


def test_every_tool_says_what_it_does_to_the_store(tools):
    hints = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert {tool["name"]: hints - set(tool["annotations"]) for tool in tools} == {tool["name"]: set() for tool in tools}


def test_building_the_server_touches_no_store(tmp_path):
    home = tmp_path / "home"
    build(Memory.open("agent", {"MEMSHELF_HOME": str(home)}, tmp_path))
    assert list(tmp_path.iterdir()) == []
