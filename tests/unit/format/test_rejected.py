"""REJECTED.md as a person sees and edits it."""

from __future__ import annotations

import pytest

from memshelf.domain.skeleton import key
from memshelf.errors import Unreadable
from memshelf.format.rejected import LONGEST, Row, cleaned, rows, with_rows

WHEN = "2026-11-09T07:51:02Z"
A = Row("Use requests", "httpx2 it is", "person", WHEN, key("Use requests"), "3f9a1c2b7d10")
B = Row("", "a name", "agent", WHEN, key("Anna Muster"))


def table(*lines: str) -> bytes:
    return "\n".join(
        ["# Rejected", "", "<!-- memshelf:rejected -->", *lines, "<!-- /memshelf:rejected -->", ""]
    ).encode()


def test_it_is_a_table_that_a_person_can_read() -> None:
    assert with_rows(None, [A, B]) == table(
        "| value | reason | who | when | key | id |",
        "| --- | --- | --- | --- | --- | --- |",
        f"| Use requests | httpx2 it is | person | {WHEN} | {A.key} | 3f9a1c2b7d10 |",
        f"| (forgotten) | a name | agent | {WHEN} | {B.key} |  |",
    )
    assert rows(with_rows(None, [A, B])) == (A, B)


def test_a_further_row_changes_no_other_line() -> None:
    one = with_rows(None, [A]) or b""
    two = with_rows(one, [A, B]) or b""
    assert [line for line in two.splitlines() if line not in one.splitlines()] == [two.splitlines()[6]]


def test_no_rows_need_no_file() -> None:
    assert with_rows(None, []) is None
    assert with_rows(with_rows(None, [A]), []) is None
    assert rows(None) == rows(b"") == rows(b"| Use requests | mine |\n") == ()
    assert with_rows(b"# Mine\n\nWords.\n", []) == b"# Mine\n\nWords.\n"


def test_a_persons_file_stays_theirs() -> None:
    mine = b"\xef\xbb\xbf# Mine\r\n\r\nWords"
    made = with_rows(mine, [A]) or b""
    assert made.startswith(mine + b"\r\n\r\n<!-- memshelf:rejected -->\r\n|")
    assert b"\n" not in made.replace(b"\r\n", b"")
    assert rows(made) == (A,)
    assert with_rows(made, []) == mine + b"\r\n"


@pytest.mark.parametrize(
    "text",
    ["a | b", "a \\| b", "\\", "|", "a \\\\", "<!-- x -->", "--> <!--", "&lt;!-- x", "(forgotten)", "\\(forgotten)", "`a | b`", "---", ":-:",
     "<!-- memshelf:rejected -->", "<!-- /memshelf:rejected -->", "```", "# x", "- x", "  - x\n\n| value |\n"],
)  # fmt: skip
def test_any_text_is_one_cell(text: str) -> None:
    row = Row(text, text, "agent", WHEN, key(text), "aaaaaaaaaaaa")
    assert rows(with_rows(None, [A, row, B])) == (A, cleaned(row), B)
    assert len((with_rows(None, [row]) or b"").splitlines()) == 7


def test_a_long_value_is_cut_and_its_key_is_still_that_of_the_whole() -> None:
    text = "word " * 400
    row = Row(text, "long\nreason", "agent", WHEN, key(text))
    (read,) = rows(with_rows(None, [row]))
    assert len(read.text) <= LONGEST
    assert read.text.endswith("word…")
    assert (read.key, read.reason) == (key(text), "long reason")
    assert rows(with_rows(None, [read])) == (read,)


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        (["| value | reason |", "|---|:-:|", "| Use requests | mine |"], [("Use requests", "mine", key("Use requests"))]),
        (["| value |", "|---|", "| Use requests |"], [("Use requests", "", key("Use requests"))]),
        (["value | key", "--- | ---", "Use requests | "], [("Use requests", "", key("Use requests"))]),
        (["| Key | Reason | **Value** | mood |", "|-|-|-|-|", f"| {B.key.upper()} | why | x \\| y | bad |"], [("x | y", "why", B.key)]),
        (["| value | reason | who | when | key | id |", "| a | | | | nonsense | |"], [("a", "", key("a"))]),
        (["| value | reason | who | when | key | id |", "| (forgotten) | | | | | |", "| | | | | zz | |", "||", "words", "| b |"], [("b", "", key("b"))]),
        (["| value | reason | who | when | key | id |", f"| | why | | | `{B.key}` | | more | yet |"], [("", "why", B.key)]),
        ([f"| a | why | person | now | {B.key} | |", "| b |"], [("a", "why", B.key), ("b", "", key("b"))]),
        (["| value | reason | who | when | key | id |", f"| edited | why | | | {B.key} | |"], [("edited", "why", B.key)]),
        (["| value | reason |", "| --- | --- |", "| C:\\x | a\\ |"], [("C:\\x", "a\\", key("C:\\x"))]),
    ],
)  # fmt: skip
def test_hand_edits_are_read_as_they_are_meant(lines: list[str], read: list[tuple[str, str, str]]) -> None:
    assert [(row.text, row.reason, row.key) for row in rows(table(*lines))] == read


def test_a_broken_block_is_never_taken_for_no_rejections() -> None:
    broken = (with_rows(None, [A]) or b"").replace(b"<!-- /memshelf:rejected -->", b"")
    with pytest.raises(Unreadable):
        rows(broken)
    with pytest.raises(Unreadable):
        with_rows(broken, [A])
