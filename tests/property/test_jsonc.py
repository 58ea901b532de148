"""The textual editors against a second opinion: values that are known because the text was made from them."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memshelf.hosts import jsonc, toml
from memshelf.hosts.broken import Broken
from memshelf.hosts.json_tree import NEWLINE, parse

KEYS = st.sampled_from(["a", "b", "servers", "other", 'quo"te', "tür", "//", "/* k */", "{", ","])
SCALARS = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        -1,
        12345678901234567890,
        0.5,
        -1e-9,
        1e300,
        "",
        "x",
        "ü\u2028",
        '"',
        "\\",
        "// no",
        "/*",
        "}\n",
    ]
)
ENTRY = {"command": "memshelf", "args": ["serve", "ü"], "env": {}}
COMMENT_TEXTS = ["/**/", "/* a, b */", "/* { */", '/* " */', "/* one\n two */"]


TRIVIA = {  # blanks and comments; a line comment always brings its line end
    nl: st.lists(
        st.sampled_from(
            [
                "",
                " ",
                "  ",
                "\t",
                nl,
                nl + "  ",
                nl + "\t\t",
                *COMMENT_TEXTS,
                "// x" + nl,
                "// }, " + nl,
                "//" + nl + "  ",
            ]
        ),
        max_size=3,
    ).map("".join)
    for nl in ("\n", "\r\n")
}


@st.composite
def written(draw: st.DrawFn, nl: str, depth: int = 0) -> tuple[str, Any]:
    """A text and the value that it means; a key that comes twice means its last value."""
    gap = TRIVIA[nl]
    shape = draw(st.sampled_from(SHAPES[depth]))
    if shape == "scalar":
        value = draw(SCALARS)
        return json.dumps(value, ensure_ascii=draw(st.booleans())), value
    count = draw(st.integers(0, 3))
    parts: list[str] = []
    values: list[Any] = []
    members: dict[str, Any] = {}
    for _ in range(count):
        key = draw(KEYS)
        text, value = draw(written(nl, depth + 1))
        name = json.dumps(key) + draw(gap) + ":" + draw(gap) if shape == "object" else ""
        parts.append(draw(gap) + name + text + draw(gap))
        values.append(value)
        members[key] = value
    inner = ",".join(parts) + ("," + draw(gap) if count and draw(st.booleans()) else "" if count else draw(gap))
    return (f"{{{inner}}}", members) if shape == "object" else (f"[{inner}]", values)


SHAPES = [["object"], ["object", "list", "scalar"], ["object", "list", "scalar"], ["scalar"]]


@st.composite
def files(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    nl = draw(st.sampled_from(["\n", "\r\n"]))
    text, value = draw(written(nl)) if draw(st.integers(0, 9)) else ("", {})
    bom = draw(st.sampled_from(["", "", "\ufeff"]))
    return bom + draw(TRIVIA[nl]) + text + draw(TRIVIA[nl]), value


PATHS = st.sampled_from([("m",), ("servers", "m"), ("servers", "a", "m")])


def holder(tree: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any] | None:
    """The object that the member goes into, None where something else stands in the way."""
    node: Any = tree
    for key in path[:-1]:
        node = node.setdefault(key, {})
        if not isinstance(node, dict):
            return None
    return node


@given(files())
def test_a_text_reads_as_the_value_it_was_made_from(file: tuple[str, dict[str, Any]]) -> None:
    assert jsonc.get(file[0], ()) == file[1]


@given(files(), PATHS)
def test_setting_is_the_dict_operation(file: tuple[str, dict[str, Any]], path: tuple[str, ...]) -> None:
    text, value = file
    into = holder(value, path)
    if into is None:
        with pytest.raises(Broken):
            jsonc.put(text, path, ENTRY)
        return
    into[path[-1]] = ENTRY
    after = jsonc.put(text, path, ENTRY)
    assert jsonc.get(after, ()) == value
    assert jsonc.put(after, path, ENTRY) == after


@given(files(), PATHS)
def test_setting_and_dropping_a_new_member_gives_the_same_bytes(
    file: tuple[str, dict[str, Any]], path: tuple[str, ...]
) -> None:
    text, value = file
    if holder(value, path) is None:
        return
    after = jsonc.put(text, path, ENTRY)
    assert jsonc.drop(after, path, jsonc.missing(text, path)) == text


@given(files(), PATHS)
def test_setting_only_adds_characters(file: tuple[str, dict[str, Any]], path: tuple[str, ...]) -> None:
    text, value = file
    if holder(value, path) is None:
        return
    after = iter(jsonc.put(text, path, ENTRY))
    assert all(mark in after for mark in text)


@given(files(), KEYS)
def test_dropping_a_member_is_the_dict_operation_and_takes_only_its_span_a_comma_and_blanks(
    file: tuple[str, dict[str, Any]], key: str
) -> None:
    text, value = file
    after, left, root = jsonc.drop(text, (key,)), text, parse(text)
    for member in reversed(root.members or () if root else ()):
        if member.key == key:
            left = left[: member.start] + left[member.node.end :]
    value.pop(key, None)
    assert jsonc.get(after, ()) == value
    assert "".join(after.split()).replace(",", "") == "".join(left.split()).replace(",", "")


@given(files(), KEYS)
def test_replacing_a_member_changes_its_value_alone(file: tuple[str, dict[str, Any]], key: str) -> None:
    text, value = file
    root = parse(text)
    there = [m for m in (root.members if root and root.members else ()) if m.key == key]
    if not there:
        return
    after = jsonc.put(text, (key,), ENTRY)
    start, end = there[-1].node.start, there[-1].node.end
    assert after.startswith(text[:start])
    assert after.endswith(text[end:])
    assert jsonc.get(after, ()) == {**value, key: ENTRY}


@given(files(), st.data())
def test_a_damaged_text_is_read_or_refused_by_line_and_never_anything_else(
    file: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    text = file[0]
    cut = data.draw(st.integers(0, len(text)))
    damaged = (
        text[:cut]
        + data.draw(st.sampled_from(["", "}", "{", '"', "/*", ",", ":", "]", "nul", "\u00a0"]))
        + text[cut + 1 :]
    )
    line = 1
    try:
        jsonc.put(damaged, ("servers", "m"), ENTRY)
    except Broken as refused:
        line = refused.line
    assert 1 <= line <= len(NEWLINE.findall(damaged)) + 1


LINES = st.sampled_from(
    [
        "# a comment",
        "",
        "  ",
        "top = 1 # kept",
        '"quoted key" = "[mcp_servers.memshelf]"',
        'block = """\n[mcp_servers.memshelf]\ncommand = "no"\n"""',
        "list = [\n  1, # one\n  '#', # [mcp_servers.memshelf]\n]",
        "dotted.key.here = {x = 1, y = [2]}",
    ]
)
TABLES = st.sampled_from(
    [
        "[mcp_servers]",
        "[mcp_servers.other] # kept",
        "[mcp_servers.other.env]",
        '[projects."/a]b"]',
        "[[things]]",
        "[ spaced . out ]",
    ]
)


@st.composite
def toml_files(draw: st.DrawFn) -> str:
    lines: list[str] = draw(st.lists(LINES, max_size=4, unique=True))
    for header in draw(st.lists(TABLES, max_size=4, unique=True)):
        lines += [header, *draw(st.lists(LINES, max_size=3, unique=True))]
    nl = draw(st.sampled_from(["\n", "\r\n"]))
    return draw(st.sampled_from(["", "\ufeff"])) + "\n".join(lines).replace("\n", nl) + draw(st.sampled_from(["", nl]))


TABLE = {"command": "memshelf", "args": ["serve", 'q"\\'], "startup_timeout_sec": 30}
OURS = ("mcp_servers", "memshelf")


@given(toml_files(), st.booleans())
def test_a_toml_table_is_set_and_dropped_to_the_same_bytes(text: str, variables: bool) -> None:
    table = {**TABLE, "env": {"A B": "1"}} if variables else TABLE
    after = toml.put(text, OURS, table)
    before = tomllib.loads(text.removeprefix("\ufeff"))
    before.setdefault("mcp_servers", {})["memshelf"] = table
    assert tomllib.loads(after.removeprefix("\ufeff")) == before
    assert toml.put(after, OURS, table) == after
    assert toml.drop(after, OURS, toml.missing(text, OURS)) == text


@given(toml_files(), toml_files())
def test_a_toml_table_between_others_is_replaced_alone(above: str, below: str) -> None:
    below = below.removeprefix("\ufeff")
    old = '[mcp_servers.memshelf]\ncommand = "old" # note\n# between\nargs = [\n  "x", # y\n]\n'
    old += '[mcp_servers.memshelf.env]\nA = "1"\n'
    if above and not above.endswith("\n"):
        above += "\n"
    below = "[z]\n" + below
    text = above + old + below
    try:
        tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        return  # the two halves name one table twice
    after = toml.put(text, OURS, TABLE)
    assert after.startswith(above)
    assert after.endswith(below)
    assert toml.get(after, OURS) == TABLE
    assert "# note" in after
    assert "# between" in after
