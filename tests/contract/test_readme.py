"""README.md and abi/ say what the program is: each list is compared both ways, so neither side can grow alone."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path

import pytest

from memshelf import errors
from memshelf.memory import Memory
from memshelf.server import results
from memshelf.server.app import build

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MCP = (ROOT / "abi" / "MCP.md").read_text(encoding="utf-8")
PAGES = sorted((ROOT / "abi").glob("*.md"))


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    folder = tmp_path_factory.mktemp("none")
    server = build(Memory.open("agent", {"MEMSHELF_HOME": str(folder / "home")}, folder))
    return {tool.name: tool for tool in asyncio.run(server.list_tools())}


def table(text: str, first: str) -> dict[str, list[str]]:
    """The rows of the markdown table whose first column is headed `first`: first cell -> the rest."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith(f"| {first} |"):
            next(lines)
            break
    rows: dict[str, list[str]] = {}
    for line in lines:
        if not line.startswith("|"):
            break
        name, *cells = (cell.strip() for cell in line.strip("|").split(" | "))
        assert name.strip("` ") not in rows, f"{name} stands twice"
        rows[name.strip("` ")] = [cell.strip(" |") for cell in cells]
    return rows


def classes(root: type) -> list[type]:
    return [root, *(deeper for child in root.__subclasses__() for deeper in classes(child))]


def families() -> dict[str, str]:
    """Each code of memshelf.errors with the family that callers branch on."""
    own = [one for one in classes(errors.MemshelfError) if one.__module__ == errors.__name__ and "code" in vars(one)]
    named = ((errors.Refused, "refused"), (errors.StoreTrouble, "trouble"), (errors.MemshelfError, "neither"))
    return {one.code: next(word for family, word in named if issubclass(one, family)) for one in own}


def arguments(schema: dict) -> list[str]:
    """A tool's arguments as abi/MCP.md writes them."""
    out = []
    for name, shape in schema["properties"].items():
        optional = "?" if name not in schema.get("required", ()) else ""
        listed = "[]" if shape.get("type") == "array" else ""
        default = f"={shape['default']:g}" if isinstance(shape.get("default"), int | float) else ""
        default = default or (f"={shape['default']}" if shape.get("default") else "")
        out.append(f"{name}{optional}{listed}{default}")
    return out


def test_every_error_code_stands_in_the_table_with_its_family_and_no_other_does():
    assert {code: cells[0] for code, cells in table(MCP, "code").items()} == families()


def test_every_error_code_says_when_and_what_to_do():
    assert [code for code, cells in table(MCP, "code").items() if len(cells) != 3 or not all(cells)] == []


def test_the_tools_are_those_of_the_standard_and_of_the_readme(tools):
    assert set(table(MCP, "tool")) == set(tools)
    assert set(table(README, "tool")) == set(tools)


def test_the_arguments_are_those_of_the_standard(tools):
    stated = {name: cells[0].split(", ") for name, cells in table(MCP, "tool").items()}
    assert stated == {name: arguments(tool.input_schema) for name, tool in tools.items()}


def test_the_annotations_are_those_of_the_standard(tools):
    stated = {name: [cell == "yes" for cell in cells[2:]] for name, cells in table(MCP, "tool").items()}
    hints = {name: tool.annotations for name, tool in tools.items()}
    assert stated == {
        name: [hint.read_only_hint, hint.destructive_hint, hint.idempotent_hint] for name, hint in hints.items()
    }


def test_the_fields_of_answers_are_those_of_the_standard():
    shapes = {
        "found": results.Found,
        "hit": results.Hit,
        "receipt": results.Done,
        "catalog": results.Catalog,
        "past": results.Past,
        "file row": results.FileRow,
    }
    stated = {name: set(re.findall(r"\b(?!or\b)\w+", cells[0])) for name, cells in table(MCP, "answer").items()}
    assert stated == {name: set(shape.model_fields) for name, shape in shapes.items()}


def test_every_requirement_has_an_id_of_its_own_and_numbers_have_no_gap():
    found = [
        (page.stem, *hit)
        for page in PAGES
        for hit in re.findall(r"^\* \*\*([A-Z]+)-(\d+)\*\*", page.read_text("utf-8"), re.M)
    ]
    assert found
    assert [one for one, times in Counter((family, n) for _, family, n in found).items() if times > 1] == []
    for page in {page for page, _, _ in found}:
        assert {family for stem, family, _ in found if stem == page} == {page}
        numbers = [int(n) for stem, _, n in found if stem == page]
        assert numbers == list(range(1, len(numbers) + 1))


def test_the_standard_stands_on_its_own():
    for page in PAGES:
        assert not re.search(r"see the (?:code|source)|\bsrc/", page.read_text("utf-8"), re.I), page.name


def test_the_readme_has_two_commands_and_the_ci_script_runs_the_second():
    commands = re.findall(r"^    (python3 -m venv .*)$", README, re.M)
    assert len(commands) == 2
    assert commands[0].endswith(".venv/bin/memshelf setup")
    assert commands[1].endswith(".venv/bin/pytest")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    pattern = re.search(r"sed -n 's/(.+?)/\\1/p' README\.md", script)
    assert pattern, "the script takes its command from the README"
    chosen = pattern[1].replace(r"\(", "(").replace(r"\)", ")")
    assert re.findall(chosen, README, re.M) == [commands[1]]
    assert "pytest" not in script.replace(pattern[0], ""), "it has no command of its own"


def test_links_in_the_readme_and_the_standard_lead_somewhere():
    dead = [
        f"{page.name}: {link}"
        for page in (ROOT / "README.md", *PAGES, ROOT / "docs" / "ARCHITECTURE.md")
        for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8"))
        if not (page.parent / link).exists()
    ]
    assert dead == []
