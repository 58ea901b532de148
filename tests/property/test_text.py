"""What `clean` lets in and what `shown` lets out, for any text."""



from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from memshelf.domain.text import clean, folded, shown
from memshelf.errors import CapReached, EmptyText

INVISIBLE = [
    "\u200b", "\u200c", "\u200d", "\u200e", "\u2060", "\ufeff", "\xad", "\u061c", "\u180e", "\u202e", "\u2066", "\x00", "\x07",
    "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\ud800", "\udcff", "\U000e0041", "\U000110bd", "\u115f", "\u3164",
    "\u034f", "\ufe00", "\U000e0100", "\U000e01ef", "\u17b4", "\uffa0",
]  # fmt: skip
VISIBLE = ["a", "e", "\u0301", "é", "ß", "İ", "ΐ", "\u0345", "K", "ﬁ", "م", "ی", "क", "\u094d", "👩", "🏽", "💻", "❤", "\ufe0f", "葛",
           " ", "\t", "\n", "\r\n", "\r", "\u3000", "\xa0", "- ", "\u0600", "\u1100", "\u1161"]  # fmt: skip
nasty = st.lists(st.sampled_from([*INVISIBLE, *VISIBLE]), max_size=12).map("".join) | st.text(max_size=20)
JOINERS = "\u200c\u200d"


def cleaned(text: str) -> str:
    try:
        return clean(text)[0]
    except EmptyText:
        assume(False)
        raise


@settings(max_examples=300, deadline=None)
@given(nasty)
@example("e\u200b\u0301")
@example("م\u061c\u200cم")
def test_cleaning_a_clean_text_changes_nothing(text: str) -> None:
    once = cleaned(text)
    assert clean(once) == (once, 0)


@settings(max_examples=300, deadline=None)
@given(nasty)
def test_a_clean_text_is_nfc_and_holds_nothing_that_cannot_be_seen(text: str) -> None:
    once = cleaned(text)
    assert unicodedata.is_normalized("NFC", once)
    assert once == once.strip()
    assert not any(
        char in INVISIBLE
        for char in once
        if char not in JOINERS and not unicodedata.name(char, "").startswith("VARIATION")
    )
    hidden = [c for c in once if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\t" + JOINERS]
    assert [c for c in hidden if not 0x600 <= ord(c) <= 0x8E2] == []
    assert all(line == line.rstrip() for line in once.split("\n"))


@settings(max_examples=300, deadline=None)
@given(nasty)
def test_cleaning_takes_away_no_visible_character(text: str) -> None:
    once = cleaned(text)
    seen = [c for c in unicodedata.normalize("NFKC", text) if c.isalnum() and c not in INVISIBLE]
    kept = [c for c in unicodedata.normalize("NFKC", once) if c.isalnum() and c not in INVISIBLE]
    if not any(c in text for c in INVISIBLE):
        assert kept == seen


@pytest.mark.parametrize(
    "text",
    [
        "👩🏽\u200d💻 ships",
        "❤️\u200d🔥",
        "👨\u200d👩\u200d👧",
        "🏳️\u200d🌈",
        "می\u200cخواهم",
        "क्\u200dष",
        "ශ්\u200dරී",
        "葛\U000e0100",
        "⚠️ careful",
    ],
)
def test_joiners_that_a_script_or_an_emoji_needs_stay(text: str) -> None:
    assert clean(text) == (text, 0)
    assert shown(text) == text


@pytest.mark.parametrize(
    ("text", "kept", "removed"),
    [
        ("ig\u200bnore", "ignore", 1),
        ("a\u200db 👩\u200d💻", "ab 👩\u200d💻", 1),
        ("ok\U000e0049\U000e0047", "ok", 2),
        ("a\ufe00\ufe01\U000e0110b", "ab", 3),
        ("x\u202ey\x00\r\nz", "xy\nz", 2),
    ],
)
def test_what_hides_is_taken_out_and_counted(text: str, kept: str, removed: int) -> None:
    assert clean(text) == (kept, removed)


def test_an_empty_and_an_endless_text_are_refused() -> None:
    for text in ("", " \n\t", "\u200b", "\ufe0f\ufe0f"):
        with pytest.raises(EmptyText):
            clean(text)
    assert len(clean("x" * 16_000)[0]) == 16_000
    with pytest.raises(CapReached):
        clean("x" * 16_001)


@settings(max_examples=300, deadline=None)
@given(nasty)
@example("a\u200db 👩\u200d💻")
@example("a\u200d\u200bb")
def test_what_is_shown_can_neither_hide_nor_turn_round(text: str) -> None:
    seen = shown(text)
    assert shown(seen) == seen
    assert not [c for c in seen if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert not set(seen) & set(
        "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\u061c\u2028\u2029"
    )
    for i, char in enumerate(seen):
        if char in JOINERS:
            assert not seen[i - 1 : i].isascii()
            assert not seen[i + 1 : i + 2].isascii()
    seen.encode()


@settings(max_examples=300, deadline=None)
@given(nasty)
def test_a_folded_text_stays_as_it_is_and_does_not_depend_on_the_normal_form(text: str) -> None:
    once = folded(text)
    assert folded(once) == once
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert folded(unicodedata.normalize(form, text)) == once
    assert folded(f"  {text}\n ") == once
