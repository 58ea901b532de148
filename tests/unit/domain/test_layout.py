"""Where a path leads, where a kind is filed, and which names are none."""

from __future__ import annotations

from itertools import combinations

import pytest

from memshelf.domain.kinds import PLACEHOLDER, STORES, load
from memshelf.domain.layout import Place, check_path, path_for, place
from memshelf.domain.names import same, slug
from memshelf.errors import BadName, BadRequest, MemshelfError, ProjectRequired, UnknownKind

ESCAPES = [
    "", "/etc/passwd.md", "/", "//x.md", "..", ".", "../x.md", "facts/../../x.md", "facts/..", "./facts/x.md", "facts/./x.md",
    "facts//x.md", "facts/", "~/x.md", "~root/x.md", "C:/x.md", "c:x.md", "facts\\x.md", "..\\x.md", "\\\\host\\share.md",
    "facts/x\0.md", "facts/x\n.md", "facts/x\x85.md", "facts/x\u2028.md", "facts/\u202efdp.md", "facts/\u2066x.md", "facts/x\udc80.md",
    "facts∕x.md", "facts⁄x.md", "facts⧸x.md", "facts／x.md", "facts＼x.md", "facts⧵x.md", "facts﹨x.md", "facts∖x.md", "‥/x.md", "．．/x.md",
    "\u200b../x.md", ".git/x.md", ".archive/facts/x.md", ".lock/x.md", "\u200b.git/x.md", "facts/.x.md", ".md", "facts/.md", "...",
    "con.md", "facts/NUL.md", "aux/x.md", "facts/com1.txt.md", "a" * 253 + ".md", "é" * 127 + ".md", "/".join(["abcdefghi"] * 103) + ".md",
]  # fmt: skip


def patterns(store: str) -> list[str]:
    return [text for kind in load().for_store(store) for text in (kind.path, *kind.reads)]


# -- path to place -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("store", "path", "expected"),
    [
        ("user", "concepts/idempotence.md", ("concept", "idempotence")),
        ("user", "entities/Ann Lee.md", ("entity", "Ann Lee")),
        ("user", "facts/ports.md", ("fact", "ports")),
        ("project", "facts/ports.md", ("fact", "ports")),
        ("user", "notes/programming/stores.md", ("note", "stores", "programming")),
        ("user", "notes/scratch/inbox.md", ("scratch", "inbox")),
        ("user", "projects/heron/README.md", ("project", "heron")),
        ("project", "staging/from-claude-code.md", ("staging", "from-claude-code")),
        ("project", "plans/001-first.md", ("plan", "first", "", "", 1)),
        ("project", "plans/000-template.md", ("plan", "template", "", "", 0)),
        ("project", "plans/12345-late.md", ("plan", "late", "", "", 12345)),
        ("project", "tasks/in-progress/012-cron.md", ("task", "cron", "", "in-progress", 12)),
        ("project", "notes/rejected/process/007-二.md", ("rejected", "二", "process", "", 7)),
        ("project", "working/auth.md", ("desk", "auth")),
        ("user", "2026-11-09.md", ("log", "2026-11-09", "", "", None, "2026-11-09")),
        ("project", "episodes/2026-11-09-outage.md", ("episode", "outage", "", "", None, "2026-11-09")),
        ("project", "reflections/2024-02-29.md", ("reflection", "2024-02-29", "", "", None, "2024-02-29")),
    ],
)
def test_a_path_says_kind_name_and_the_rest(store: str, path: str, expected: tuple) -> None:
    kind, name, *rest = expected
    assert place(store, path) == Place(store, kind, path, name, *rest)


@pytest.mark.parametrize(
    ("store", "path", "expected"),
    [
        ("user", "semantic/editor.md", ("fact", "editor")),
        ("project", "procedural/release.md", ("workflow", "release")),
        ("project", "episodic/cache-bug.md", ("episode", "cache-bug")),
        ("user", "people/ann.md", ("entity", "ann")),
        ("user", "projects/heron.md", ("project", "heron")),
        ("project", "tasks/007-cron.md", ("task", "cron", "", "open", 7)),
        ("project", "actions/done/cron.md", ("task", "cron", "", "done")),
        ("project", "actions/open/007-cron.md", ("task", "cron", "", "open", 7)),
    ],
)
def test_drawers_of_other_layouts_are_read_as_the_kind_they_hold(store: str, path: str, expected: tuple) -> None:
    kind, name, *rest = expected
    assert place(store, path) == Place(store, kind, path, name, *rest)


@pytest.mark.parametrize(
    ("path", "beside"),
    [
        ("tasks/open/7-x.md", "tasks/open/007-x.md"),
        ("tasks/open/0007-x.md", "tasks/open/007-x.md"),
        ("tasks/open/٠٠٧-x.md", "tasks/open/007-x.md"),
        ("tasks/later/007-x.md", "tasks/done/007-x.md"),
        ("decisions/use-x.md", "decisions/001-use-x.md"),
        ("decisions/2026-11-09-use-x.md", "decisions/2026-use-x.md"),
        ("decisions/20261109-use-x.md", "decisions/20261-use-x.md"),
        ("decisions/001-.md", "decisions/001-x.md"),
        ("2026-02-30.md", "2026-02-28.md"),
        ("2026-2-3.md", "2026-02-03.md"),
        ("0000-01-01.md", "0001-01-01.md"),
        ("reflections/2026-13-01.md", "reflections/2026-12-01.md"),
        ("episodes/2026-02-30-x.md", "episodes/2026-02-28-x.md"),
        ("facts/deep/x.md", "facts/x.md"),
        ("Facts/x.md", "facts/x.md"),
        ("facts/INDEX.md", "facts/index.md"),
        ("semantic/README.md", "semantic/readme.md"),
        ("working/NOW.md", "working/now.md"),
        ("notes/proposed/001-x.md", "notes/proposed/process/001-x.md"),
    ],
)
def test_a_path_that_nearly_fits_is_unfiled_and_one_that_fits_is_filed(path: str, beside: str) -> None:
    assert place("project", path) == Place("project", "unfiled", path, path.rpartition("/")[2].removesuffix(".md"))
    assert place("project", beside).kind != "unfiled"


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(
    "path", ["INDEX.md", "NOW.md", "MEMORY.md", "REJECTED.md", "README.md", "PROJECTS.md", "ACTIVE/PLAN.md", "topics/conventions/x.md"]
)
def test_what_a_person_keeps_at_a_path_of_their_own_is_unfiled(store: str, path: str) -> None:
    assert place(store, path).kind == "unfiled"


def test_a_kind_of_the_other_store_is_unfiled_here() -> None:
    assert place("user", "notes/programming/x.md").kind == "note"
    assert place("project", "notes/programming/x.md").kind == "unfiled"
    assert place("project", "decisions/001-x.md").kind == "decision"
    assert place("user", "decisions/001-x.md").kind == "unfiled"


@pytest.mark.parametrize("store", STORES)
def test_no_two_patterns_of_a_store_can_name_one_path_unless_one_is_more_specific(store: str) -> None:
    def general(part: str) -> int:
        used = set(PLACEHOLDER.findall(part))
        return 0 if not used else 1 if used & {"number", "date", "state"} else 2

    for a, b in combinations(patterns(store), 2):
        parts = list(zip(a.split("/"), b.split("/"), strict=False))
        apart = a.count("/") != b.count("/") or any(x != y and general(x) == general(y) == 0 for x, y in parts)
        ranked = list(map(general, a.split("/"))) != list(map(general, b.split("/")))
        assert apart or ranked, (a, b)


# -- place to path -----------------------------------------------------------------------------------------------------


def test_the_canonical_path_is_that_of_the_table() -> None:
    assert path_for("user", "note", "stores", collection="programming") == "notes/programming/stores.md"
    assert path_for("project", "adr", "one-writer", number=7) == "decisions/007-one-writer.md"
    assert path_for("project", "task", "cron", number=12, state="done") == "tasks/done/012-cron.md"
    assert path_for("project", "task", "cron", number=12) == "tasks/open/012-cron.md"
    assert path_for("project", "rejected", "x", collection="process", number=3) == "notes/rejected/process/003-x.md"
    assert path_for("user", "log", "", date="2026-11-09") == "2026-11-09.md"
    assert path_for("user", "log", "2026-11-09", date="2026-11-09") == "2026-11-09.md"


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"kind": "note"}, BadName, "'collection' is missing"),
        ({"kind": "note", "collection": "scratch"}, BadName, "'scratch' is reserved"),
        ({"kind": "note", "collection": "a/b"}, BadName, "'a/b' holds '/'"),
        ({"kind": "fact", "name": ""}, BadName, "'name' is missing"),
        ({"kind": "fact", "name": "../x"}, BadName, "'../x' holds '/'"),
        ({"kind": "fact", "name": ".."}, BadName, "begins with a dot"),
        ({"kind": "fact", "name": "x" * 300}, BadName, "longer than 255 bytes"),
        ({"kind": "fact", "name": "INDEX"}, BadName, "'INDEX' is reserved"),
        ({"kind": "fact", "name": "nul"}, BadName, "device"),
        ({"kind": "fact", "number": 3}, BadRequest, "'number' is not for kind 'fact'"),
        ({"kind": "fact", "collection": "x"}, BadRequest, "'collection' is not for kind 'fact'"),
        ({"kind": "fact", "date": "2026-11-09"}, BadRequest, "'date' is not for kind 'fact'"),
        ({"kind": "fact", "state": "open"}, BadRequest, "'state' is not for kind 'fact'"),
        ({"kind": "log", "name": ""}, BadRequest, "'date' is missing"),
        ({"kind": "log", "name": "", "date": "2026-02-30"}, BadRequest, "'2026-02-30' is no day"),
        ({"kind": "log", "date": "2026-11-09"}, BadRequest, "'name' is not for kind 'log'"),
        ({"kind": "decision", "number": 1}, ProjectRequired, "'decision' lives in a project's store"),
        ({"store": "project", "kind": "decision"}, BadRequest, "'number' is missing"),
        ({"store": "project", "kind": "decision", "number": -1}, BadRequest, "-1 is no number"),
        ({"store": "project", "kind": "decision", "number": True}, BadRequest, "True is no number"),
        ({"store": "project", "kind": "decision", "number": 100_000}, BadRequest, "100000 is no number"),
        ({"store": "project", "kind": "decision", "number": 2026, "name": "11-09-x"}, BadName, "'11-09-x' is reserved"),
        ({"store": "project", "kind": "task", "number": 1, "state": "later"}, BadRequest, "'later' is none"),
        ({"store": "project", "kind": "proposed", "number": 1}, BadName, "'collection' is missing"),
        ({"store": "project", "kind": "note", "collection": "x"}, BadRequest, "'note' lives in the user store"),
        ({"kind": "unfiled"}, BadRequest, "Nothing is filed as kind 'unfiled'"),
        ({"kind": "factoid"}, UnknownKind, "'factoid'"),
        ({"store": "disk", "kind": "fact"}, BadRequest, "'disk' is neither"),
    ],
)
def test_what_has_no_path_is_refused_by_the_argument_at_fault(arguments: dict, error: type[MemshelfError], said: str) -> None:
    with pytest.raises(error) as refusal:
        path_for(**{"store": "user", "name": "x", **arguments})
    assert type(refusal.value) is error
    assert said in refusal.value.what
    assert refusal.value.remedy


# -- paths and names that are none -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ESCAPES)
def test_a_path_that_leads_elsewhere_is_refused_whoever_asks(path: str) -> None:
    with pytest.raises(BadName):
        check_path(path)
    for store in STORES:
        with pytest.raises(BadName):
            place(store, path)


@pytest.mark.parametrize(
    "path",
    ["facts/x.md", "x.md", "facts/a..b.md", "facts/wait….md", "a~/x~.md", "facts/12: noon.md", "メモ/日本語.md", "facts/cafe\u0301.md", "facts/می\u200cخواهم.md",
     "facts/👩\u200d💻.md", "facts/console.md", "001-con.md", "a" * 252 + ".md", " x/ y .md"],
)  # fmt: skip
def test_a_path_that_a_person_may_have_stays_as_it_is(path: str) -> None:
    assert check_path(path) == path
    assert place("user", path).path == path


def test_only_markdown_files_have_a_place() -> None:
    with pytest.raises(BadName, match="none of a markdown file"):
        place("user", "facts/x.json")
    assert place("user", "facts/x.json.md").name == "x.json"


def test_an_unknown_store_has_no_places() -> None:
    with pytest.raises(BadRequest, match="'disk'"):
        place("disk", "facts/x.md")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My Concept", "my-concept"), ("  release process  ", "release-process"), ("snake_case__name", "snake-case-name"), ("x.md", "x"),
        ("python-3.12", "python-3-12"), ("node.js", "node-js"), (".NET", "net"), ("To be continued...", "to-be-continued"), ("R&D", "r-d"),
        ("C", "c"), ("C++ tips", "cplusplus-tips"), ("C# tips", "csharp-tips"), ("issue #12", "issue-12"), ("a + b", "a-b"),
        ("Straße", "strasse"), ("CAFÉ", "café"), ("cafe\u0301", "café"), ("日本語 メモ", "日本語-メモ"), ("हिन्दी", "हिन्दी"), ("Ⅳ ²", "ⅳ-²"),
        ("na\u200bme", "name"), ("so\xadft", "soft"), ("\ufeffx", "x"), ("! \u0301x", "x"), ("❤️ health", "health"), ("x" * 80, "x" * 80), ("語" * 66, "語" * 66),
    ],
)  # fmt: skip
def test_a_name_becomes_its_slug(text: str, expected: str) -> None:
    assert slug(text) == expected
    assert slug(expected) == expected


@pytest.mark.parametrize(
    ("text", "said", "safe"),
    [
        ("", "is empty", "release-process"), ("  ", "is empty", "release-process"), ("!!!", "neither a letter nor a digit", "notes"),
        ("\u3164", "neither a letter", "notes"), ("a/b", "'/'", "a-b"), ("a\\b", "U+005C", "a-b"), ("a\0b", "U+0000", "a-b"), ("a\nb", "U+000A", "a-b"),
        ("a／b", "U+FF0F", "a-b"), ("a⁄b", "U+2044", "a-b"), ("\u202eab", "U+202E", "ab"), ("..", "out of the folder", "notes"), (".", "out of the folder", "notes"),
        ("..x", "out of the folder", "x"), ("C:x", "drive letter", "c-x"), ("con", "device", "con-notes"), ("Com1", "device", "com1-notes"), ("NUL.md", "device", "nul-notes"),
        ("x" * 81, "81 characters", "x" * 80), ("語" * 67, "201 bytes", "語" * 66), ("word " * 30, "149 characters", "word-" * 15 + "word"),
    ],
)  # fmt: skip
def test_what_makes_no_slug_is_refused_with_a_name_that_does(text: str, said: str, safe: str) -> None:
    with pytest.raises(BadName) as refusal:
        slug(text, "collection")
    assert "'collection'" in refusal.value.what
    assert said in refusal.value.what
    assert f"'{safe}'" in refusal.value.remedy
    assert slug(safe) == safe


def test_a_refusal_shows_nothing_invisible_and_no_more_than_a_line() -> None:
    with pytest.raises(BadName) as refusal:
        slug("a\u202e\n" + "b" * 10_000)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 400


def test_two_spellings_of_one_name_are_the_same_and_two_names_are_not() -> None:
    assert same("My Concept", "my-concept")
    assert same("CAFÉ", "cafe\u0301")
    assert same("???", "???")
    assert same("Con", "con")
    assert not same("my-concept", "my-concepts")
    assert not same("C++", "C#")
    assert not same("???", "!!!")
