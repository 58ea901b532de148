"""The rows against the entries that the hosts' documents show, and installed hosts found in real folders."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import memshelf
from memshelf.errors import BadRequest
from memshelf.hosts.config import candidates, detect, snippet
from memshelf.hosts.table import HOSTS

ROOT = Path(__file__).parents[3]
COMMAND = ["/opt/bin/memshelf", "serve", "--read-only"]
REST = ["serve", "--read-only"]
ENTRIES = {
    "claude-code": {"type": "stdio", "command": COMMAND[0], "args": REST, "env": {}},
    "cursor": {"type": "stdio", "command": COMMAND[0], "args": REST, "env": {}},
    "zed": {"source": "custom", "command": COMMAND[0], "args": REST, "env": {}},
    "antigravity": {"command": COMMAND[0], "args": REST, "env": {}},
    "vscode": {"type": "stdio", "command": COMMAND[0], "args": REST},
    "codex": {"command": COMMAND[0], "args": REST, "startup_timeout_sec": 30},
    "gemini": {"command": COMMAND[0], "args": REST},
    "opencode": {"type": "local", "command": COMMAND, "enabled": True},
}
USER_PATHS = {
    ("claude-code", "linux"): ".claude.json",
    ("claude-code", "win32"): ".claude.json",
    ("cursor", "darwin"): ".cursor/mcp.json",
    ("zed", "linux"): ".config/zed/settings.json",
    ("zed", "darwin"): ".config/zed/settings.json",
    ("zed", "win32"): "AppData/Roaming/Zed/settings.json",
    ("antigravity", "linux"): ".gemini/config/mcp_config.json",
    ("vscode", "linux"): ".config/Code/User/mcp.json",
    ("vscode", "darwin"): "Library/Application Support/Code/User/mcp.json",
    ("vscode", "win32"): "AppData/Roaming/Code/User/mcp.json",
    ("codex", "win32"): ".codex/config.toml",
    ("gemini", "linux"): ".gemini/settings.json",
    ("opencode", "win32"): ".config/opencode/opencode.json",
}
PROJECT_PATHS = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "zed": ".zed/settings.json",
    "antigravity": ".agents/mcp_config.json",
    "vscode": ".vscode/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": "opencode.json",
}


def files(key: str, home: Path, *, environ: dict[str, str] | None = None, platform: str = "linux") -> list[Path]:
    return candidates(HOSTS[key], home=home, project=None, environ=environ or {}, platform=platform)


@pytest.mark.parametrize("key", HOSTS)
def test_each_host_gets_the_entry_that_its_documents_show(key: str) -> None:
    entry = HOSTS[key].entry(COMMAND)
    assert entry == ENTRIES[key]
    assert list(entry) == list(ENTRIES[key])


def test_an_entry_is_the_callers_own_and_never_the_rows() -> None:
    HOSTS["zed"].entry(COMMAND)["env"]["A"] = "1"
    assert HOSTS["zed"].entry(COMMAND)["env"] == {}


@pytest.mark.parametrize("command", [[], [""], ["memshelf", "\udcff"]])
def test_a_command_that_no_host_could_start_is_refused(command: list[str]) -> None:
    with pytest.raises(BadRequest):
        HOSTS["cursor"].entry(command)


@pytest.mark.parametrize(("key", "platform"), USER_PATHS)
def test_the_user_file_of_each_host_by_platform(key: str, platform: str, tmp_path: Path) -> None:
    assert files(key, tmp_path, platform=platform)[0] == tmp_path / USER_PATHS[key, platform]


@pytest.mark.parametrize("key", HOSTS)
def test_the_project_file_of_each_host(key: str, tmp_path: Path) -> None:
    found = candidates(HOSTS[key], home=Path("/none"), project=tmp_path, environ={}, platform="linux", scope="project")
    assert found[0] == tmp_path / PROJECT_PATHS[key]


@pytest.mark.parametrize(
    ("key", "variable", "file"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("zed", "XDG_CONFIG_HOME", "zed/settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ],
)
def test_a_variable_moves_the_file_and_a_relative_one_does_not(
    key: str, variable: str, file: str, tmp_path: Path
) -> None:
    moved = tmp_path / "moved"
    assert files(key, tmp_path, environ={variable: str(moved)})[0] == moved / file
    assert files(key, tmp_path, environ={variable: "moved"}) == files(key, tmp_path)


def test_antigravity_is_written_where_its_folder_is(tmp_path: Path) -> None:
    older, newer = (tmp_path / ".gemini" / name / "mcp_config.json" for name in ("antigravity", "config"))
    older.parent.mkdir(parents=True)
    assert files("antigravity", tmp_path) == [older, newer]
    newer.parent.mkdir()
    assert files("antigravity", tmp_path) == [newer, older]
    older.write_text("{}")
    assert files("antigravity", tmp_path) == [older, newer]


def test_an_opencode_jsonc_that_exists_comes_before_a_json(tmp_path: Path) -> None:
    folder = tmp_path / ".config/opencode"
    folder.mkdir(parents=True)
    assert files("opencode", tmp_path)[0] == folder / "opencode.json"
    (folder / "opencode.json").write_text("{}")
    (folder / "opencode.jsonc").write_text("{}")
    assert files("opencode", tmp_path)[0] == folder / "opencode.jsonc"


def test_a_project_scope_without_a_project_and_an_unknown_scope_are_refused(tmp_path: Path) -> None:
    for scope in ("project", "machine"):
        with pytest.raises(BadRequest):
            candidates(HOSTS["zed"], home=tmp_path, project=None, environ={}, platform="linux", scope=scope)


SIGNS = {
    "claude-code": ".claude.json",
    "cursor": ".cursor/",
    "zed": ".config/zed/",
    "antigravity": ".gemini/antigravity/",
    "vscode": ".config/Code/User/",
    "codex": ".codex/",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/",
}


def test_an_empty_home_has_no_host(tmp_path: Path) -> None:
    assert detect(tmp_path, {}, "linux") == []


@pytest.mark.parametrize("key", HOSTS)
def test_a_host_is_found_by_its_folder_alone(key: str, tmp_path: Path) -> None:
    sign = tmp_path / SIGNS[key]
    if SIGNS[key].endswith("/"):
        sign.mkdir(parents=True)
    else:
        sign.parent.mkdir(exist_ok=True)
        sign.write_text("{}")
    assert [host.key for host in detect(tmp_path, {"PATH": ""}, "linux")] == [key]


@pytest.mark.skipif(sys.platform == "win32", reason="a program there is known by its suffix")
def test_hosts_are_found_on_path_in_the_tables_order(tmp_path: Path) -> None:
    for name in ("opencode", "claude"):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    found = detect(tmp_path, {"PATH": str(tmp_path / "bin")}, "linux")
    assert [host.key for host in found] == ["claude-code", "opencode"]


def test_a_snippet_names_every_file_and_holds_the_entry() -> None:
    assert snippet(HOSTS["zed"], ["memshelf", "serve"]) == (
        "Zed, for you: ~/.config/zed/settings.json or %APPDATA%/Zed/settings.json\n"
        "Zed, for one project: .zed/settings.json\n"
        "\n"
        "{\n"
        '  "context_servers": {\n'
        '    "memshelf": {\n'
        '      "source": "custom",\n'
        '      "command": "memshelf",\n'
        '      "args": [\n'
        '        "serve"\n'
        "      ],\n"
        '      "env": {}\n'
        "    }\n"
        "  }\n"
        "}\n"
    )
    assert snippet(HOSTS["codex"], ["memshelf", "serve"]).endswith(
        '\n\n[mcp_servers.memshelf]\ncommand = "memshelf"\nargs = ["serve"]\nstartup_timeout_sec = 30\n'
    )


@pytest.mark.parametrize("key", ["claude-code", "cursor"])
def test_the_example_at_the_root_is_what_setup_writes(key: str) -> None:
    example = json.loads((ROOT / "mcp.json.example").read_text())
    host = HOSTS[key]
    assert example == {host.keys[0]: {"memshelf": host.entry(["memshelf", "serve"])}}


def test_the_hosts_are_imported_without_any_third_party_package() -> None:
    code = (
        "import sys, memshelf.hosts.config; "
        "print(sorted({m.partition('.')[0] for m in sys.modules} - set(sys.stdlib_module_names) - {'memshelf'}))"
    )
    env = os.environ | {"PYTHONPATH": str(Path(memshelf.__file__).parents[1])}
    run = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=env)
    assert run.stdout.strip() == "['__main__']"
