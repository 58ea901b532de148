"""Path and place lead to each other for every kind and every name."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from memshelf.domain.kinds import STORES, Kind, load
from memshelf.domain.layout import Place, check_path, path_for, place
from memshelf.domain.names import MAX_BYTES, MAX_CHARACTERS, same, slug
from memshelf.errors import BadName

ODD = ["-", "--", " ", ".", "..", "~", "_", "001-", "2026-11-09", "-x", "INDEX", "scratch", "open", "done", "README", ".md", "é", "e\u0301", "語", "İ", "ß",
       "\u0345", "ΐ", "\u0301", "\u200d", "\u200b", "\ufe0f", "K", "++", "#", "/", "\\", "／", "\0", "\u202e", "con", "nul", "C:", "ﬁ", "1", "٣"]  # fmt: skip
anything = st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=3)), max_size=5).map("".join)
kinds_in_stores = st.sampled_from([(store, kind) for store in STORES for kind in load().for_store(store)])
days = st.dates(min_value=date(1, 1, 1)).map(date.isoformat)


any_path = st.lists(anything, min_size=1, max_size=4).map(lambda parts: "/".join(parts) + ".md")
FILLERS = {
    "state": st.sampled_from(["open", "in-progress", "done", "Open", "x"]),
    "number": st.one_of(st.integers(0, 200_000).map("{:03d}".format), st.from_regex("[0-9]{1,6}", fullmatch=True)),
    "date": st.one_of(days, st.from_regex("[0-9]{4}-[0-9]{2}-[0-9]{2}", fullmatch=True)),
}


def slugged(text: str) -> str:
    try:
        return slug(text)
    except BadName:
        assume(False)
        raise


def slug_or_x(text: str) -> str:
    try:
        return slug(text)
    except BadName:
        return "x"


slugs = anything.map(slug_or_x)


def arguments(kind: Kind, draw: st.DrawFn, names: st.SearchStrategy[str]) -> dict:
    """What path_for needs for the kind, beside the name."""
    made: dict = {}
    if {"collection", "class"} & set(kind.placeholders):
        made["collection"] = draw(names)
    if "state" in kind.placeholders:
        made["state"] = draw(st.sampled_from(kind.states))
    if "number" in kind.placeholders:
        made["number"] = draw(st.integers(0, 99_999))
    if "date" in kind.placeholders:
        made["date"] = draw(days)
    return made


@st.composite
def filed(draw: st.DrawFn, names: st.SearchStrategy[str]) -> tuple[str, Kind, str, dict]:
    store, kind = draw(kinds_in_stores)
    others = arguments(kind, draw, names)
    return store, kind, draw(names) if "name" in kind.placeholders else others["date"], others


@st.composite
def paths(draw: st.DrawFn) -> tuple[str, str]:
    """A store and a path near to its patterns, or any other."""
    store, kind = draw(kinds_in_stores)
    pattern = draw(st.sampled_from((kind.path, *kind.reads)))
    filled = re.sub(r"\{(\w+)\}", lambda found: draw(FILLERS.get(found[1], anything)), pattern)
    return store, draw(st.one_of(st.just(filled), any_path))


@settings(max_examples=300, deadline=None)
@given(filed(slugs))
def test_the_place_of_a_canonical_path_is_what_it_was_made_of(case: tuple[str, Kind, str, dict]) -> None:
    store, kind, name, others = case
    # the only slugs that are taken: another kind's folder, and what makes a date of a number
    scratch = kind.name == "note" and others["collection"] == "scratch"
    if scratch or (1000 <= others.get("number", 0) <= 9999 and re.match(r"[0-9]{2}-[0-9]{2}", name)):
        with pytest.raises(BadName, match="is reserved"):
            path_for(store, kind.name, name, **others)
        return
    path = path_for(store, kind.name, name, **others)
    assert place(store, path) == Place(
        store, kind.name, path, name, others.get("collection", ""), others.get("state", ""), others.get("number"), others.get("date", "")
    )


@settings(max_examples=300, deadline=None)
@given(filed(anything))
def test_a_name_that_is_no_slug_gets_its_own_path_back_or_none(case: tuple[str, Kind, str, dict]) -> None:
    store, kind, name, others = case
    try:
        path = path_for(store, kind.name, name, **others)
    except BadName:
        return
    read = place(store, path)
    assert (read.kind, read.name, read.collection) == (kind.name, name, others.get("collection", ""))


@settings(max_examples=500, deadline=None)
@given(paths())
@example(("user", "notes/scratch/x.md"))
@example(("project", "notes/programming/x.md"))
@example(("project", "decisions/2026-11-09-x.md"))
@example(("project", "episodes/2026-11-09-2026-11-10-x.md"))
@example(("project", "tasks/open/001-.x.md"))
def test_every_path_has_one_place_and_a_filed_one_leads_back(case: tuple[str, str]) -> None:
    store, path = case
    try:
        checked = check_path(path)
    except BadName:
        assume(False)
        raise
    read = place(store, checked)
    assert read.path == path
    assert read.store == store
    kind = load()[read.kind]
    if read.kind == "unfiled":
        assert read == Place(store, "unfiled", path, path.rpartition("/")[2].removesuffix(".md"))
        return
    assert store in kind.stores
    alias = path.split("/")[0] != kind.path.split("/")[0] and "/" in path
    if alias or ("number" in kind.placeholders and read.number is None) or path.count("/") != kind.path.count("/"):
        return
    others = {"collection": read.collection, "state": read.state, "number": read.number, "date": read.date}
    assert path_for(store, read.kind, read.name, **others) == path


few = st.sampled_from(["x", "001", "scratch", "open", "2026-11-09", "2026-11-09-x", "11-09", "captured"])


@settings(max_examples=300, deadline=None)
@given(filed(few), filed(few))
def test_two_different_memories_have_two_different_paths(a: tuple[str, Kind, str, dict], b: tuple[str, Kind, str, dict]) -> None:
    assume(a[0] == b[0] and (a[1].name, *a[2:]) != (b[1].name, *b[2:]))
    try:
        one, two = (path_for(store, kind.name, name, **others) for store, kind, name, others in (a, b))
    except BadName:
        return
    assert one != two


@settings(max_examples=300, deadline=None)
@given(anything)
def test_a_slug_is_its_own_slug_safe_in_every_path_and_never_cut(text: str) -> None:
    made = slugged(text)
    assert slug(made) == made == unicodedata.normalize("NFC", made)
    assert same(text, made)
    assert check_path(f"{made}/{made}.md")
    assert not made.startswith("-")
    assert not made.endswith("-")
    assert "--" not in made
    assert len(made) <= MAX_CHARACTERS
    assert len(made.encode()) <= MAX_BYTES


@settings(max_examples=300, deadline=None)
@given(anything)
def test_a_refused_name_comes_with_one_that_is_taken(text: str) -> None:
    try:
        slug(text)
    except BadName as refusal:
        offered = refusal.remedy.split("'")[1] if text.strip() else refusal.remedy.split("'")[3]
        assert slug(offered) == offered
