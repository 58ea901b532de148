"""Text at the door, by example; for any text: tests/property/test_text.py."""

from __future__ import annotations

import pytest

from memshelf.domain.text import clean, clean_line, folded, require_single_line, shown
from memshelf.errors import BadRequest, EmptyText


def test_line_ends_and_ends_of_lines_are_made_even() -> None:
    assert clean(" \r\n\r\na  \r\n\tb\t\r \n\nc\u2028d \n\n") == ("a\n\tb\n\n\nc\nd", 0)


def test_a_one_line_value_has_its_white_space_collapsed() -> None:
    assert clean_line(" a\t b\n c\u3000d ", "source") == "a b c d"
    with pytest.raises(EmptyText, match="source"):
        clean_line(" \u200b ", "source")


def test_what_is_shown_marks_what_it_hides() -> None:
    assert shown("a\x1b[31mb\u202ec\r\nd\te\udcff") == "a\ufffd[31mb\ufffdc\nd\te\ufffd"
    assert shown("a\u200db 👩\u200d💻") == "a\ufffdb 👩\u200d💻"


def test_texts_are_compared_without_case_width_and_spacing() -> None:
    assert folded("Straße  ＡＢＣ\n") == folded("STRASSE abc") == "strasse abc"


def test_a_value_that_spans_lines_is_refused() -> None:
    assert require_single_line(" a \n", "name") == "a"
    with pytest.raises(BadRequest, match="name"):
        require_single_line("a\nb", "name")
