"""A block of ours in a person's file, by example."""

from __future__ import annotations

import pytest

from memshelf.domain.entry import Entry
from memshelf.errors import BadRequest, Unreadable
from memshelf.format import amend, whole
from memshelf.format.document import Document
from memshelf.format.managed import block, with_block, without_block
from memshelf.format.marker import Marker
from memshelf.format.reader import parse

START, END = "<!-- memshelf:index -->", "<!-- /memshelf:index -->"
BODY = "## facts\n\n- [a](facts/a.md): words\n- same"
OURS = f"{START}\n{BODY}\n{END}\n"
ID = "3f9a1c2b7d10"
FRESH = "fedcba987654"


def read(text: str, grain: str = "bullet") -> Document:
    return parse(text.encode(), "user/INDEX.md", grain)


def entries(document: Document) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(e.id, e.text, e.headings) for e in document.entries]


# -- the block -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"# Index\n\n{OURS}"),
        (b"", f"# Index\n\n{OURS}"),
        (b"# Mine\n\nWords.\n", f"# Mine\n\nWords.\n\n{OURS}"),
        (b"# Mine\n\nWords.", f"# Mine\n\nWords.\n\n{OURS}"),
        (b"Words.\n\n\n", f"Words.\n\n\n{OURS}"),
        (f"a\n{START}\nold\n{END}\nb".encode(), f"a\n{OURS}b"),
        (f"a\n{START}\n{END}".encode(), f"a\n{OURS}".rstrip("\n")),
        (b"- a\n", f"- a\n\n{OURS}"),
        (b"# T\n\n```\nopen\n", f"# T\n\n{OURS}```\nopen\n"),
        (f"- a\n\n<!-- m:{ID} -->\n```\nopen".encode(), f"- a\n\n{OURS}<!-- m:{ID} -->\n```\nopen"),
        (b"```\nopen", f"{OURS}```\nopen"),
        (b"\xef\xbb\xbf<!-- open", f"\ufeff{OURS}<!-- open"),
        (f"```\n{START}\nx\n{END}\n```\n".encode(), f"```\n{START}\nx\n{END}\n```\n\n{OURS}"),
        (f"- ```\n  {START}\n  {END}\n".encode(), f"- ```\n  {START}\n  {END}\n\n{OURS}"),
        (f"---\n{START}\n---\n".encode(), f"---\n{START}\n---\n\n{OURS}"),
        (f"`{START}` is a mark\n".encode(), f"`{START}` is a mark\n\n{OURS}"),
    ],
)
def test_it_is_put_into_a_file_and_nothing_else_changes(before: bytes | None, after: str) -> None:
    made = with_block(before, "index", BODY, "Index")
    assert made.decode() == after
    assert block(made, "index") == BODY
    assert with_block(made, "index", BODY, "Index") == made


@pytest.mark.parametrize("eol", ["\r\n", "\r"])
def test_it_has_the_line_ends_and_the_byte_order_mark_of_its_file(eol: str) -> None:
    mine = f"\ufeff# Mine{eol}{eol}Words{eol}"
    made = with_block(mine.encode(), "index", BODY, "Index").decode()
    assert made == mine + eol + OURS.replace("\n", eol)
    assert block(made.encode(), "index") == BODY
    assert with_block(made.encode(), "index", "", "Index").decode() == f"{mine}{eol}{START}{eol}{END}{eol}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"# Index\n\n{OURS}", None),
        (f"\ufeff{OURS}\r\n\r\n", None),
        (f"# Mine\n\nWords.\n\n{OURS}", "# Mine\n\nWords.\n"),
        (f"a\n\n{OURS}\nb\n", "a\n\n\nb\n"),
        ("# Index\n", "# Index\n"),
    ],
)
def test_it_is_taken_away_and_nothing_else_with_it(before: str, after: str | None) -> None:
    left = without_block(before.encode(), "index")
    assert (left and left.decode()) == after


@pytest.mark.parametrize(
    "text",
    [
        f"{START}\nmine\n",
        f"mine\n{END}\n",
        f"{END}\n{START}\n",
        f"{OURS}{OURS}",
        f"{START}\n{OURS}",
        f"{OURS}{END}\n",
        f"{START}\n```\n{END}\n",
        f"{START}\n<!-- memshelf:now -->\n<!-- /memshelf:now -->\n{END}\n",
    ],
)
def test_a_file_with_a_mark_missing_or_doubled_is_left_alone(text: str) -> None:
    with pytest.raises(Unreadable, match="memshelf:index"):
        block(text.encode(), "index")
    with pytest.raises(Unreadable):
        with_block(text.encode(), "index", BODY, "Index")
    with pytest.raises(Unreadable):
        without_block(text.encode(), "index")


def test_blocks_of_other_names_are_none_of_its_business() -> None:
    made = with_block(with_block(None, "index", BODY, "Index"), "now", "- b", "Now")
    assert (block(made, "index"), block(made, "now"), block(made, "other")) == (BODY, "- b", None)
    assert without_block(made, "now") == with_block(None, "index", BODY, "Index")


@pytest.mark.parametrize(
    "body", [END, START, f"x\n{END}\ny", f"```\n{END}\n```", "<!--/memshelf:index-->", "<!--   memshelf:now -->"]
)
def test_a_mark_within_it_is_text(body: str) -> None:
    made = with_block(None, "index", body, "Index")
    assert block(made, "index") == body.replace("<!--", "&lt;!--")
    assert without_block(made, "index") is None


@pytest.mark.parametrize("body", ["```\nopen", "<!-- open", "<div>"])
def test_a_body_that_would_swallow_what_follows_is_refused(body: str) -> None:
    with pytest.raises(BadRequest):
        with_block(b"Mine.\n", "index", body, "Index")


# -- entries around it ---------------------------------------------------------------------------------------------


def test_what_stands_in_it_is_no_entry_and_moves_none() -> None:
    plain = "# T\n\n## Part\n\n- same\n\n- same\n- other\n"
    assert entries(read(f"# T\n\n## Part\n\n- same\n\n{OURS}\n- same\n- other\n")) == entries(read(plain))
    assert entries(read(f"{OURS}\n{plain}")) == entries(read(plain))
    assert read(f"{OURS}\n{plain}").title == "T"
    assert read(OURS).entries == ()


def test_a_section_of_a_log_ends_before_it() -> None:
    text = "# 2026-11-09\n\n### 09:30 - Late\nWords.\n"
    assert entries(read(f"{text}\n{OURS}", "heading")) == entries(read(text, "heading"))
    assert entries(read(f"{text}\n{OURS}\n### 10:00 - Noon\n", "heading")) == entries(
        read(f"{text}\n### 10:00 - Noon\n", "heading")
    )


def test_a_block_in_the_midst_of_a_section_stays_when_the_section_goes() -> None:
    document = read(f"### 09:30 - Late\nWords.\n\n{OURS}\nMore.\n", "heading")
    assert document.entries[0].text == "09:30 - Late\nWords.\n\n\nMore."
    assert block(amend.remove(document, 0), "index") == BODY


@pytest.mark.parametrize("text", [OURS, f"# T\n\n- a\n\n{OURS}", f"# T\n\n{OURS}\n- a\n", f"- a\n{OURS.rstrip()}"])
def test_a_new_entry_stands_outside_it(text: str) -> None:
    made = amend.add(read(text), "new", Marker(FRESH, {}))
    assert block(made, "index") == BODY
    assert [e.text for e in parse(made, "user/INDEX.md").entries][-1] == "new"
    assert made.decode().startswith(text)


def test_rewording_stamping_and_taking_away_leave_it() -> None:
    document = read(f"# T\n\n- a\n- b\n\n{OURS}\nProse.\n")
    for made in (
        amend.reword(document, 0, "A", Marker(document.entries[0].id, {})),
        amend.remove(document, 2),
        amend.stamp(document, [0, 1, 2]),
    ):
        assert block(made, "index") == BODY


def test_rewording_a_whole_file_keeps_it() -> None:
    document = read(f"# T <!-- m:{ID} -->\n\nOld.\n\n{OURS}\nMore.\n", "file")
    made = amend.reword(document, 0, "New.", Marker(ID, {}))
    assert made.decode() == f"# T <!-- m:{ID} -->\n\nNew.\n\n{OURS}"


def test_a_whole_file_write_leaves_it_as_it_stands_or_is_refused() -> None:
    document = read(f"# T\n\n- a\n\n{OURS}")
    made, gone = whole.rewritten(document, f"# T\n\n{OURS}\n- b\n", lambda: FRESH, {})
    assert block(made, "index") == BODY
    assert [entry.text for entry in gone] == ["a"]
    for content in (
        "# T\n\n- a\n",
        f"# T\n\n- a\n\n{OURS.replace('words', 'mine')}",
        f"# T\n\n- a\n\n{OURS}\n<!-- memshelf:now -->\n",
    ):
        with pytest.raises(BadRequest, match="memshelf:NAME"):
            whole.rewritten(document, content, lambda: FRESH, {})


def test_marks_that_are_no_pair_hide_nothing() -> None:
    found: tuple[Entry, ...] = read(f"{START}\n- a\n<!-- memshelf:now -->\n- b\n{END}\n- c\n").entries
    assert [e.text for e in found] == ["a", "b", "c"]
