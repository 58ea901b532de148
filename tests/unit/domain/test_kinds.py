"""The table of kinds: what it holds, how a caller's word finds a row, and what a broken one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from memshelf.domain.kinds import MalformedTable, Table, load, parse
from memshelf.errors import BadRequest, UnknownKind

TEXT = (Path(__file__).parents[3] / "abi" / "kinds.toml").read_text("utf-8")

ROW = """
[kind.fact]
about = "What is true."
stores = ["user", "project"]
default = "project"
path = "facts/{name}.md"
grain = "bullet"
mutability = "append"
drawer = "semantic"

[kind.unfiled]
about = "The rest."
stores = ["user", "project"]
default = "user"
path = ""
grain = "bullet"
mutability = "revise"
drawer = "semantic"
"""


def names(**columns: object) -> set[str]:
    return {kind.name for kind in load().values() if all(getattr(kind, c) == value for c, value in columns.items())}


def test_the_program_uses_the_table_of_the_standard() -> None:
    assert dict(load()) == dict(parse(TEXT))


def test_there_are_twenty_six_kinds_and_unfiled() -> None:
    assert set(load()) == {
        "concept", "entity", "workflow", "fact", "preference", "source", "avoid", "lesson", "persona", "note", "scratch",
        "project", "staging", "research", "plan", "wave", "roadmap", "task", "decision", "proposed", "implemented",
        "rejected", "desk", "log", "episode", "reflection", "unfiled",
    }  # fmt: skip


def test_each_kind_lives_where_the_model_says() -> None:
    assert names(stores=("user",)) == {"concept", "entity", "note", "scratch", "project"}
    assert names(stores=("project",)) == {
        "research", "plan", "wave", "roadmap", "task", "decision", "proposed", "implemented", "rejected", "episode",
    }  # fmt: skip
    assert names(stores=("user", "project"), default="user") == {"preference", "persona", "workflow", "unfiled"}


def test_what_a_kind_needs_and_how_much_it_may_hold() -> None:
    assert {k.name: k.needs for k in load().values() if k.needs} == {
        "lesson": ("evidence",), "source": ("locator",), "episode": ("lesson",),
    }  # fmt: skip
    assert {k.name: dict(k.caps) for k in load().values() if k.caps} == {
        "workflow": {"lines": 40}, "persona": {"lines": 80, "active": 1}, "episode": {"lines": 40}, "desk": {"lines": 80, "active": 3},
    }  # fmt: skip


def test_only_logs_reflections_and_done_tasks_are_archived_by_age() -> None:
    ages = {k.name: (k.archive_days, k.archive_states) for k in load().values() if k.archive_days}
    assert ages == {"log": (30, ()), "reflection": (30, ()), "task": (14, ("done",))}


def test_confidence_of_the_five_lasting_kinds_does_not_decay() -> None:
    assert names(decays=False) == {"preference", "persona", "decision", "avoid", "entity"}


def test_only_staging_and_rejected_are_out_of_default_search() -> None:
    assert names(in_search=False) == {"staging", "rejected"}
    assert names(trust="candidate") == {"staging"}


def test_numbers_are_shared_by_the_three_note_states_and_by_no_other_kinds() -> None:
    assert names(series="notes") == {"proposed", "implemented", "rejected"}
    others = [k.series for k in load().values() if k.series and k.series != "notes"]
    assert sorted(others) == ["decision", "plan", "roadmap", "task", "wave"]


def test_a_row_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        load()["fact"].grain = "file"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError):
        load()["desk"].caps["lines"] = 1  # pyright: ignore[reportIndexIssue]


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("fact", "fact"), ("Facts", "fact"), (" FACT ", "fact"), ("semantic", "fact"), ("belief", "fact"), ("working", "desk"),
        ("procedural", "workflow"), ("procedure", "workflow"), ("episodic", "episode"), ("observation", "log"), ("ADR", "decision"),
        ("action", "task"), ("people", "entity"), ("entities", "entity"), ("captured", "staging"), ("unfiled", "unfiled"),
    ],
)  # fmt: skip
def test_a_kind_is_found_by_its_name_its_plural_and_the_words_of_other_systems(word: str, kind: str) -> None:
    assert load().named(word).name == kind


def test_every_kind_is_found_by_its_own_name() -> None:
    assert [load().named(name).name for name in load()] == list(load())


def test_an_unknown_kind_is_refused_with_the_nearest_one_and_a_line_on_each() -> None:
    with pytest.raises(UnknownKind) as refusal:
        load().named("factt")
    assert "'factt' is no kind of memory. Did you mean 'fact'?" in str(refusal.value)
    for kind in load().values():
        assert (f"- {kind.name}: {kind.about}" in refusal.value.remedy) == bool(kind.path)


@pytest.mark.parametrize(("word", "said"), [("xylophone", "'xylophone'"), ("", "'kind' is missing"), ("_", "'_'")])
def test_a_word_near_to_no_kind_gets_no_guess(word: str, said: str) -> None:
    with pytest.raises(UnknownKind) as refusal:
        load().named(word)
    assert said in refusal.value.what
    assert "Did you mean" not in str(refusal.value)


def test_a_store_has_its_kinds_and_not_unfiled() -> None:
    user, project = ({kind.name for kind in load().for_store(store)} for store in ("user", "project"))
    assert user | project == set(load()) - {"unfiled"}
    assert "note" in user - project
    assert "decision" in project - user
    assert "fact" in user & project
    with pytest.raises(BadRequest, match="'users'"):
        load().for_store("users")


def test_a_table_of_two_rows_is_read() -> None:
    table = parse(ROW)
    assert isinstance(table, Table)
    assert list(table) == ["fact", "unfiled"]
    assert table["fact"].placeholders == ("name",)


@pytest.mark.parametrize(
    ("old", "new", "row", "column", "said"),
    [
        ('grain = "bullet"', 'grain = "bulet"', "fact", "grain", "'bulet' is none of bullet, heading, file"),
        ('grain = "bullet"', 'grain = 3', "fact", "grain", "3 is not a text"),
        ('grain = "bullet"', '', "fact", "grain", "missing"),
        ('grain = "bullet"', 'grain = "bullet"\ncolour = "red"', "fact", "colour", "no such column"),
        ('grain = "bullet"', 'grain = "bullet"\ndecays = 1', "fact", "decays", "1 is not true or false"),
        ('grain = "bullet"', 'grain = "bullet"\narchive_days = -1', "fact", "archive_days", "-1 is not"),
        ('grain = "bullet"', 'grain = "bullet"\narchive_days = true', "fact", "archive_days", "True is not"),
        ('grain = "bullet"', 'grain = "bullet"\ncaps = { words = 3 }', "fact", "caps", "lines or active"),
        ('grain = "bullet"', 'grain = "bullet"\ncaps = { lines = 0 }', "fact", "caps", "above 0"),
        ('grain = "bullet"', 'grain = "bullet"\naliases = ["facts", "facts"]', "fact", "aliases", "different words"),
        ('grain = "bullet"', 'grain = "bullet"\naliases = "facts"', "fact", "aliases", "'facts' is not a list"),
        ('grain = "bullet"', 'grain = "bullet"\naliases = ["Facts"]', "fact", "aliases", "lower-case"),
        ('grain = "bullet"', 'grain = "bullet"\naliases = ["unfiled"]', "unfiled", "aliases", "belongs to [kind.fact] too"),
        ('grain = "bullet"', 'grain = "bullet"\nneeds = ["luck"]', "fact", "needs", "'luck' is none of"),
        ('grain = "bullet"', 'grain = "bullet"\nstates = ["open"]', "fact", "states", "come together"),
        ('grain = "bullet"', 'grain = "bullet"\nseries = "x"', "fact", "series", "come together"),
        ('grain = "bullet"', 'grain = "bullet"\nfrozen_states = ["done"]', "fact", "frozen_states", "not all of them"),
        ('grain = "bullet"', 'grain = "bullet"\nreads = ["{name}"]', "fact", "reads", "no relative path of a .md file"),
        ('"facts/{name}.md"', '"../{name}.md"', "fact", "path", "no relative path"),
        ('"facts/{name}.md"', '"facts/{title}.md"', "fact", "path", "'title' in"),
        ('"facts/{name}.md"', '"facts/{name}/{name}.md"', "fact", "path", "each placeholder once"),
        ('"facts/{name}.md"', '"facts/all.md"', "fact", "path", "needs {name} or {date}"),
        ('"facts/{name}.md"', '""', "fact", "path", "no relative path"),
        ('default = "project"', '', "fact", "default", "not in stores"),
        ('["user", "project"]', '[]', "fact", "stores", "empty"),
        ('["user", "project"]', '["disk"]', "fact", "stores", "'disk' is none of user, project"),
        ('about = "What is true."', 'about = " "', "fact", "about", "one line"),
        ("[kind.fact]", "[kind.Fact]", "Fact", "name", "lower-case"),
    ],
)  # fmt: skip
def test_a_malformed_row_is_named_with_its_column(old: str, new: str, row: str, column: str, said: str) -> None:
    assert old in ROW
    with pytest.raises(MalformedTable) as refusal:
        parse(ROW.replace(old, new, 1))
    assert f"row [kind.{row}], column {column!r}" in refusal.value.what
    assert said in refusal.value.what


@pytest.mark.parametrize(
    ("text", "said"),
    [("[kind.fact", "no TOML"), (ROW.partition("[kind.unfiled]")[0], "[kind.unfiled]"), ("x = 1\n" + ROW, "'x'"), ("kind.fact = 1", "no row")],
)
def test_what_is_no_table_says_why(text: str, said: str) -> None:
    with pytest.raises(MalformedTable) as refusal:
        parse(text)
    assert said in str(refusal.value)
