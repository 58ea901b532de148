"""Configuration files in real folders: seen, written and given back."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memshelf.errors import BadRequest, ChangedUnderneath, ReadOnly, Unreadable
from memshelf.hosts import jsonc
from memshelf.hosts.config import BACKUP, Change, apply, candidates, plan, plan_undo, undo
from memshelf.hosts.table import HOSTS, Host

COMMAND = ["/opt/bin/memshelf", "serve"]
JSON_HOSTS = [key for key in HOSTS if key != "codex"]
posix = pytest.mark.skipif(os.name != "posix", reason="modes and links as POSIX has them")

RICH_JSON = """// settings of a person
{
\t/* first */
\t"theme": "dark", // why not
\t"%s": {
\t\t"other": {"command": "x", "args": ["//", "{"], "env": {"TOKEN": "s"}}, // keep
\t\t// "off": {},
\t},
\t"last": [1, 2,],
}
// the end"""

RICH_TOML = """# codex
model = "gpt" # fast

[mcp_servers.other] # keep
command = "x"
args = [
  "a", # [mcp_servers.memshelf]
]

# about the project
[projects."/a"]
trust_level = "trusted"
"""

PLAIN = {
    "empty": "",
    "a line end": "\n",
    "braces": "{}",
    "braces on two lines": "{\n}\n",
    "one line": '{"theme": "dark", "%s": {"other": {"command": "x"}}}',
    "our object empty": '{\n    "%s": {},\n    "a": 1\n}\n',
    "comments only": "// nothing yet\n",
    "rich": RICH_JSON,
    "rich, CRLF": RICH_JSON.replace("\n", "\r\n"),
    "byte order mark": '\ufeff{\r\n  "a": 1\r\n}\r\n',
    "the key twice": '{"%s": {"shadowed": {}}, "%s": {"other": {}}}',
}


def where(home: Path) -> dict[str, Any]:
    return {"home": home, "project": home / "repo", "environ": {}, "platform": "linux"}


def file_of(host: Host, home: Path) -> Path:
    return candidates(host, **where(home))[0]


def written(host: Host, home: Path, text: str) -> Path:
    path = file_of(host, home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def parsed(host: Host, text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff")) if host.format == "toml" else jsonc.get(text, ())


def filled(text: str, host: Host) -> str:
    return text.replace("%s", host.keys[0])


CASES = [(key, name) for key in JSON_HOSTS for name in PLAIN] + [
    ("codex", "empty"),
    ("codex", "rich"),
    ("codex", "rich, CRLF"),
]


def case_text(key: str, name: str) -> str:
    if key != "codex":
        return filled(PLAIN[name], HOSTS[key])
    return {"empty": "", "rich": RICH_TOML, "rich, CRLF": RICH_TOML.replace("\n", "\r\n")}[name]


@pytest.mark.parametrize(("key", "name"), CASES)
def test_setup_adds_our_entry_only_and_undo_gives_the_same_folder(key: str, name: str, tmp_path: Path) -> None:
    host, text = HOSTS[key], case_text(key, name)
    path = written(host, tmp_path, text)
    before = tree(tmp_path)
    change = plan(host, COMMAND, **where(tmp_path))
    assert tree(tmp_path) == before
    assert apply(change) == path.with_name(path.name + BACKUP)

    now = path.read_bytes().decode()
    marks = iter(now)
    assert all(mark in marks for mark in text)
    expected = parsed(host, text)
    expected.setdefault(host.keys[0], {})["memshelf"] = host.entry(COMMAND)
    assert parsed(host, now) == expected
    assert plan(host, COMMAND, **where(tmp_path)).empty

    done = undo(host, **where(tmp_path))
    assert done == Change(key, path, now, text)
    assert tree(tmp_path) == before
    assert undo(host, **where(tmp_path)) is None


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("key", HOSTS)
def test_a_file_that_setup_made_goes_away_on_undo(key: str, scope: str, tmp_path: Path) -> None:
    host = HOSTS[key]
    change = plan(host, COMMAND, scope=scope, **where(tmp_path))
    assert change.before is None
    assert apply(change) is None
    assert list(tree(tmp_path)) == [str(change.path.relative_to(tmp_path))]
    assert parsed(host, change.path.read_text()) == {host.keys[0]: {"memshelf": host.entry(COMMAND)}}
    undo(host, scope=scope, **where(tmp_path))
    assert tree(tmp_path) == {}


def test_the_written_text_is_laid_out_like_the_file(tmp_path: Path) -> None:
    host = HOSTS["zed"]
    path = written(host, tmp_path, filled(RICH_JSON, host))
    apply(plan(host, ["memshelf"], **where(tmp_path)))
    assert path.read_text() == filled(RICH_JSON, host).replace(
        '\t\t// "off": {},\n',
        '\t\t// "off": {},\n'
        '\t\t"memshelf": {\n'
        '\t\t\t"source": "custom",\n'
        '\t\t\t"command": "memshelf",\n'
        '\t\t\t"args": [],\n'
        '\t\t\t"env": {}\n'
        "\t\t},\n",
    )


def test_a_codex_table_goes_to_the_end(tmp_path: Path) -> None:
    path = written(HOSTS["codex"], tmp_path, RICH_TOML)
    apply(plan(HOSTS["codex"], ["memshelf", "serve"], **where(tmp_path)))
    assert path.read_text() == RICH_TOML + (
        '\n[mcp_servers.memshelf]\ncommand = "memshelf"\nargs = ["serve"]\nstartup_timeout_sec = 30\n'
    )


@pytest.mark.parametrize("key", JSON_HOSTS)
def test_another_entry_of_our_name_is_replaced_and_nothing_beside_it(key: str, tmp_path: Path) -> None:
    host = HOSTS[key]
    old = '{"url": "http://x", "n": [1, /* in */ 2]}'
    text = f'{{ "{host.keys[0]}": {{\n    "memshelf" /* a */ : {old} /* b */, // c\n "z": 1 }} }}'
    path = written(host, tmp_path, text)
    apply(plan(host, COMMAND, **where(tmp_path)))
    start, _, end = text.partition(old)
    now = path.read_text()
    assert now.startswith(start)
    assert now.endswith(end)
    assert jsonc.get(now, host.path) == host.entry(COMMAND)


@pytest.mark.parametrize("key", HOSTS)
def test_variables_that_a_person_gave_our_entry_stay_when_the_command_changes(key: str, tmp_path: Path) -> None:
    host = HOSTS[key]
    apply(plan(host, ["old"], **where(tmp_path)))
    path = file_of(host, tmp_path)
    text = path.read_text()
    if host.format == "toml":
        path.write_text(text + '[mcp_servers.memshelf.env]\nMEMSHELF_HOME = "/m"\n')
    else:
        entry = jsonc.get(text, host.path)
        path.write_text(jsonc.put(text, host.path, {**entry, host.environment: {"MEMSHELF_HOME": "/m"}}))
    apply(plan(host, COMMAND, **where(tmp_path)))
    ours = parsed(host, path.read_text())[host.keys[0]]["memshelf"]
    assert ours == {**host.entry(COMMAND), host.environment: {"MEMSHELF_HOME": "/m"}}
    assert plan(host, COMMAND, **where(tmp_path)).empty


@pytest.mark.parametrize(("key", "name"), [(k, n) for k, n in CASES if n.startswith("rich")])
def test_undo_after_somebody_elses_edit_cuts_our_entry_alone(key: str, name: str, tmp_path: Path) -> None:
    host, text = HOSTS[key], case_text(key, name)
    path = written(host, tmp_path, text)
    apply(plan(host, COMMAND, **where(tmp_path)))
    mark = "# edited\n" if key == "codex" else "// edited\n"
    path.write_bytes(mark.encode() + path.read_bytes())
    undo(host, **where(tmp_path))
    assert path.read_bytes().decode() == mark + text


def test_undo_after_an_edit_takes_the_object_that_was_not_there_before_and_leaves_one_that_was(tmp_path: Path) -> None:
    host = HOSTS["claude-code"]
    for text, left in (('{"n": 1}', '{"n": 2}'), ('{"n": 1, "mcpServers": {}}', '{"n": 2, "mcpServers": {}}')):
        path = written(host, tmp_path, text)
        apply(plan(host, COMMAND, **where(tmp_path)))
        path.write_text(path.read_text().replace('"n": 1', '"n": 2'))
        undo(host, **where(tmp_path))
        assert path.read_text() == left


def test_a_comment_over_the_next_codex_table_stays(tmp_path: Path) -> None:
    host = HOSTS["codex"]
    apply(plan(host, COMMAND, **where(tmp_path)))
    path = file_of(host, tmp_path)
    path.write_text(path.read_text() + '\n# mine\n[mcp_servers.mine]\ncommand = "m"\n')
    undo(host, **where(tmp_path))
    assert path.read_text() == '\n# mine\n[mcp_servers.mine]\ncommand = "m"\n'


def test_undo_gives_back_the_first_file_after_two_setups(tmp_path: Path) -> None:
    host = HOSTS["zed"]
    text = filled(RICH_JSON, host)
    path = written(host, tmp_path, text)
    apply(plan(host, ["old"], **where(tmp_path)))
    apply(plan(host, COMMAND, **where(tmp_path)))
    assert path.with_name(path.name + BACKUP).read_text() == text
    undo(host, **where(tmp_path))
    assert tree(tmp_path) == {".config/zed/settings.json": text.encode()}


def test_undo_never_brings_back_an_entry_of_our_name(tmp_path: Path) -> None:
    host = HOSTS["cursor"]
    path = written(host, tmp_path, '{"mcpServers": {"memshelf": {"url": "http://x"}}}')
    apply(plan(host, COMMAND, **where(tmp_path)))
    undo(host, **where(tmp_path))
    assert path.read_text() == '{"mcpServers": {}}'


def test_an_undo_can_be_seen_before_it_is_done(tmp_path: Path) -> None:
    host = HOSTS["cursor"]
    written(host, tmp_path, "{}\n")
    apply(plan(host, COMMAND, **where(tmp_path)))
    before = tree(tmp_path)
    change = plan_undo(host, **where(tmp_path))
    assert change is not None
    assert change.after == "{}\n"
    assert tree(tmp_path) == before


BROKEN = {
    "a missing brace": ('{\n  "a": {\n    "b": 1\n', 4),
    "no comma": ('{\n  "a": 1\n  "b": 2\n}', 3),
    "an open comment": ("{}\n/* never", 2),
    "an open string": ('{\n"a: 1\n}', 2),
    "single quotes": ("{\n\n'a': 1}", 3),
    "two values": ("{}\n{}", 2),
    "too deep": ("{\n" + '"a": {' * 300, 2),
}
NO_OBJECT = {
    "a list": ("\n[]", 2),
    "null for our object": ('{\n"%s": null}', 2),
    "a list for our object": ('{\n"%s": []}', 2),
    "a word for our object": ('{"a": 1,\n\n"%s": "on"}', 3),
}


@pytest.mark.parametrize("key", JSON_HOSTS)
@pytest.mark.parametrize("name", [*BROKEN, *NO_OBJECT])
def test_a_file_that_cannot_be_edited_is_refused_by_file_and_line_and_not_a_byte_moves(
    key: str, name: str, tmp_path: Path
) -> None:
    host = HOSTS[key]
    text, line = {**BROKEN, **NO_OBJECT}[name]
    path = written(host, tmp_path, filled(text, host))
    before = tree(tmp_path)
    with pytest.raises(BadRequest) as refused:
        plan(host, COMMAND, **where(tmp_path))
    assert f"{path}, line {line}: " in str(refused.value)
    assert refused.value.data == {"path": str(path), "line": line}
    if name in BROKEN:
        with pytest.raises(BadRequest):
            undo(host, **where(tmp_path))
    else:
        assert undo(host, **where(tmp_path)) is None
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a = 1\nb = "x\n', 2),
        ("[a\n", 1),
        ("a = 1\na = 2\n", 2),
        ("x = 1\nmcp_servers = 3\n", 2),
        ('x = 1\nmcp_servers = { a = { command = "x" } }\n', 2),
        ("x = 1\n[[mcp_servers]]\n", 2),
    ],
)
def test_a_codex_file_that_cannot_be_edited_is_refused_by_line(text: str, line: int, tmp_path: Path) -> None:
    path = written(HOSTS["codex"], tmp_path, text)
    before = tree(tmp_path)
    with pytest.raises(BadRequest, match=rf"config\.toml, line {line}: ") as refused:
        plan(HOSTS["codex"], COMMAND, **where(tmp_path))
    assert refused.value.data == {"path": str(path), "line": line}
    assert tree(tmp_path) == before


def test_a_file_that_is_not_utf8_or_not_a_file_is_refused(tmp_path: Path) -> None:
    path = written(HOSTS["zed"], tmp_path, "")
    path.write_bytes('{\n"a": 1}'.encode("utf-16"))
    with pytest.raises(BadRequest, match="not UTF-8"):
        plan(HOSTS["zed"], COMMAND, **where(tmp_path))
    path.unlink()
    path.mkdir()
    with pytest.raises(Unreadable):
        plan(HOSTS["zed"], COMMAND, **where(tmp_path))


@pytest.mark.parametrize("now", ['{"n": 2}', None])
def test_a_file_that_changed_since_the_plan_is_not_written(now: str | None, tmp_path: Path) -> None:
    host = HOSTS["claude-code"]
    path = written(host, tmp_path, '{"n": 1}')
    change = plan(host, COMMAND, **where(tmp_path))
    path.unlink()
    if now is not None:
        path.write_text(now)
    before = tree(tmp_path)
    with pytest.raises(ChangedUnderneath):
        apply(change)
    assert tree(tmp_path) == before


def test_a_file_that_came_since_the_plan_is_not_overwritten(tmp_path: Path) -> None:
    host = HOSTS["cursor"]
    change = plan(host, COMMAND, **where(tmp_path))
    path = written(host, tmp_path, "")
    with pytest.raises(ChangedUnderneath):
        apply(change)
    assert path.read_bytes() == b""


def test_an_empty_change_writes_nothing(tmp_path: Path) -> None:
    host = HOSTS["cursor"]
    apply(plan(host, COMMAND, **where(tmp_path)))
    path = file_of(host, tmp_path)
    stamp = path.stat()
    change = plan(host, COMMAND, **where(tmp_path))
    assert change.diff() == ""
    assert apply(change) is None
    assert path.stat() == stamp


@posix
def test_the_mode_is_kept_by_the_file_and_its_backup(tmp_path: Path) -> None:
    host = HOSTS["claude-code"]
    path = written(host, tmp_path, '{"token": "s"}')
    path.chmod(0o640)
    backup = apply(plan(host, COMMAND, **where(tmp_path)))
    assert backup is not None
    assert [p.stat().st_mode & 0o777 for p in (path, backup)] == [0o640, 0o640]
    undo(host, **where(tmp_path))
    assert path.stat().st_mode & 0o777 == 0o640


@posix
def test_a_link_into_a_dotfiles_folder_stays_a_link(tmp_path: Path) -> None:
    host = HOSTS["zed"]
    path = file_of(host, tmp_path)
    real = tmp_path / "dotfiles" / "zed.json"
    real.parent.mkdir()
    real.write_text("{} // mine\n")
    path.parent.mkdir(parents=True)
    path.symlink_to(Path("../../dotfiles/zed.json"))
    backup = apply(plan(host, COMMAND, **where(tmp_path)))
    assert path.readlink() == Path("../../dotfiles/zed.json")
    assert jsonc.get(real.read_text(), host.path) == host.entry(COMMAND)
    assert backup == path.with_name("settings.json" + BACKUP)
    assert list(real.parent.iterdir()) == [real]
    undo(host, **where(tmp_path))
    assert path.is_symlink()
    assert real.read_text() == "{} // mine\n"


@posix
def test_a_link_to_nothing_yet_gets_its_file(tmp_path: Path) -> None:
    host = HOSTS["cursor"]
    path = file_of(host, tmp_path)
    path.parent.mkdir()
    path.symlink_to(tmp_path / "dotfiles" / "mcp.json")
    apply(plan(host, COMMAND, **where(tmp_path)))
    assert path.is_symlink()
    assert json.loads((tmp_path / "dotfiles" / "mcp.json").read_text())["mcpServers"]["memshelf"]
    undo(host, **where(tmp_path))
    assert path.is_symlink()
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_refused_whole(tmp_path: Path) -> None:
    host = HOSTS["cursor"]
    path = written(host, tmp_path, "{}")
    path.chmod(0o400)
    before = tree(tmp_path)
    with pytest.raises(ReadOnly):
        apply(plan(host, COMMAND, **where(tmp_path)))
    assert tree(tmp_path) == before


def test_a_disk_that_refuses_leaves_no_temporary_file(tmp_path: Path) -> None:
    host = HOSTS["cursor"]
    path = written(host, tmp_path, "{}")
    path.with_name(path.name + BACKUP).mkdir()
    before = tree(tmp_path)
    with pytest.raises(ReadOnly):
        apply(plan(host, COMMAND, **where(tmp_path)))
    assert tree(tmp_path) == before


def test_the_diff_shows_our_lines_and_says_where_a_line_end_is_missing(tmp_path: Path) -> None:
    host = HOSTS["cursor"]
    path = written(host, tmp_path, '{"a": 1}')
    change = plan(host, ["m"], **where(tmp_path))
    entry = '"memshelf": {"type": "stdio", "command": "m", "args": [], "env": {}}'
    assert change.diff() == (
        f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n"
        '-{"a": 1}\n\\ No newline at end of file\n'
        f'+{{"a": 1, "mcpServers": {{{entry}}}}}\n\\ No newline at end of file\n'
    )
    path.unlink()
    assert plan(host, ["m"], **where(tmp_path)).diff().startswith(f"--- {os.devnull}\n+++ {path}\n@@ -0,0 +1,10 @@\n")


def test_a_change_does_not_show_the_file_in_its_repr(tmp_path: Path) -> None:
    written(HOSTS["cursor"], tmp_path, '{"token": "hush"}')
    assert "hush" not in repr(plan(HOSTS["cursor"], COMMAND, **where(tmp_path)))
