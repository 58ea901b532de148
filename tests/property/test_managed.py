"""A block of ours never changes a byte or an entry around it; a rejected value is known however it is spelled."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from memshelf.domain.confusables import LOOKALIKES
from memshelf.domain.skeleton import key, skeleton
from memshelf.errors import BadRequest, Unreadable
from memshelf.format import amend
from memshelf.format.document import Document
from memshelf.format.managed import HINT, block, with_block, without_block
from memshelf.format.marker import Marker
from memshelf.format.reader import parse
from memshelf.format.rejected import Row, cleaned, rows, with_rows

SETTINGS = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
PATH = "user/notes/a/b.md"
FRESH = "fedcba987654"
LINES = [
    "", "", "- a", "- a", "* c", "1. e", "  - nested", "  more", "    far in", "\ttabbed", "lazy", "Words.", "# Title", "## Part", "### 09:30 - Late", "### 10:00 - Noon", "Title", "===", "---",
    "```", "~~~", "  ```", "- ```", "<!--", "-->", "<!-- a note -->", "<div>", "</div>", "> said", "> ```", "| a | b |", "|---|---|", "- x <!-- m:3f9a1c2b7d10 trust=confirmed -->",
    "<!-- m:bbbbbbbbbbbb -->", "# Whole <!-- m:ffffffffffff -->", "\x0b", "\udcff", "- 缓存键 é",
]  # fmt: skip
MARKS = [
    "<!-- memshelf:x -->",
    "<!-- /memshelf:x -->",
    "<!-- memshelf:y -->",
    "<!-- /memshelf:y -->",
    "  <!--memshelf:x-->",
    "- <!-- memshelf:x -->",
]
grains = st.sampled_from(["bullet", "bullet", "heading", "file"])


@st.composite
def files(draw: st.DrawFn, lines: list[str]) -> bytes:
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r", ""]))
    text = "".join(
        line + (end or draw(st.sampled_from(["\n", "\r\n", "\r"])))
        for line in draw(st.lists(st.sampled_from(lines), max_size=12))
    )
    if draw(st.integers(0, 5)) == 0:
        text = f"---\nkind: x\n---\n{text}"
    if draw(st.integers(0, 3)) == 0:
        text = text.rstrip("\r\n")
    if draw(st.integers(0, 5)) == 0:
        text = "\ufeff" + text
    return text.encode("utf-8", "surrogateescape")


bodies = st.lists(st.sampled_from([*LINES, *MARKS]), max_size=6).map("\n".join)


def told(document: Document) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(e.id, e.text, e.grain, e.headings) for e in document.entries]


def put(data: bytes, name: str, body: str) -> bytes:
    try:
        return with_block(data, name, body, "T")
    except (BadRequest, Unreadable):
        assume(False)
        raise


# -- bytes ---------------------------------------------------------------------------------------------------------


@SETTINGS
@given(files([*LINES, *MARKS]), bodies, bodies)
def test_no_byte_outside_the_block_changes(data: bytes, body: str, other: str) -> None:
    made = put(data, "x", body)
    inside = block(made, "x")
    assert inside is not None
    again = put(made, "x", inside)
    assert again == made
    swapped = put(made, "x", other)
    start = next(i for i in range(len(made) + 1) if made[:i] != swapped[:i] or i == min(len(made), len(swapped)))
    assert put(swapped, "x", inside) == made
    above = made[:start].rpartition(b"memshelf:x")[0]
    if data and block(data, "x") is None:
        assert _spliced(data, made)
    assert swapped.startswith(above)


def _spliced(data: bytes, made: bytes) -> bool:
    """Whether `made` is `data` with one piece put in."""
    k = next((i for i, (a, b) in enumerate(zip(data, made, strict=False)) if a != b), min(len(data), len(made)))
    return any(made.startswith(data[:i]) and made.endswith(data[i:]) for i in range(k, -1, -1)) and len(made) > len(
        data
    )


@SETTINGS
@given(files([*LINES, *MARKS]), bodies)
def test_taking_the_block_away_again_leaves_the_file(data: bytes, body: str) -> None:
    assume(data)
    had = HINT in data
    assume(not had or _block(data) is None)
    left = without_block(put(data, "x", body), "x")
    rest = data.removeprefix(b"\xef\xbb\xbf").strip()
    if left is None:
        assert not rest or (rest.startswith(b"# ") and b"\n" not in rest)
    else:
        assert left.strip(b"\r\n") == data.strip(b"\r\n") or _spliced(data, left)
        assert [line for line in left.splitlines() if line.strip()] == [
            line for line in data.splitlines() if line.strip()
        ]


def _block(data: bytes) -> str | None:
    try:
        return block(data, "x")
    except Unreadable:
        return ""


# -- entries -------------------------------------------------------------------------------------------------------


@SETTINGS
@given(files(LINES), bodies, grains)
def test_entries_outside_are_what_they_were(data: bytes, body: str, grain: str) -> None:
    assume(data)
    before, after = parse(data, PATH, grain), parse(put(data, "x", body), PATH, grain)
    assert told(after) == told(before)
    assert len(after.managed) == 1
    assert "".join(after.lines).encode("utf-8", "surrogateescape") == after.data


@SETTINGS
@given(files(LINES), files(LINES), bodies, grains)
def test_a_block_in_the_midst_stays_through_every_change(above: bytes, below: bytes, body: str, grain: str) -> None:
    data = put(above, "x", body).rstrip(b"\r\n") + b"\n\n" + below.removeprefix(b"\xef\xbb\xbf")
    inside = _block(data)
    assume(inside)
    document = parse(data, PATH, grain)
    text = "10:00 - Noon\nwords" if grain == "heading" else "words"
    for change in (
        lambda: amend.add(document, text, Marker(FRESH, {})),
        *(lambda i=i: amend.remove(document, i) for i, e in enumerate(document.entries) if e.grain != "file"),
        *(lambda i=i, e=e: amend.reword(document, i, text, Marker(e.id, {})) for i, e in enumerate(document.entries)),
        lambda: amend.stamp(document, range(len(document.entries))),
    ):
        try:
            made = change()
        except BadRequest:
            continue
        assert block(made, "x") == inside


@SETTINGS
@given(files([*LINES, *MARKS, *MARKS]), grains)
def test_any_file_with_marks_is_read_and_hides_only_what_is_between_two(data: bytes, grain: str) -> None:
    document = parse(data, PATH, grain)
    assert "".join(document.lines).encode("utf-8", "surrogateescape") == data
    for entry, span in zip(document.entries, document.spans, strict=True):
        if entry.grain != "file":
            assert not any(a < end and start < b for a, b in span.own for start, end in document.managed)


# -- rejected values -----------------------------------------------------------------------------------------------

cells = st.text(
    st.sampled_from("ab|\\<!->& \n\t#`*é(forgotten)…") | st.characters(exclude_categories=["Cs"]), max_size=20
) | st.sampled_from(["(forgotten)", "<!-- memshelf:rejected -->", "x" * 400])
made_rows = st.lists(
    st.builds(Row, cells, cells, st.sampled_from(["person", "agent"]), st.just("2026-11-09T07:51:02Z"), cells.map(key), st.sampled_from(["", "3f9a1c2b7d10"])).map(cleaned), max_size=4
)  # fmt: skip


@SETTINGS
@given(st.none() | files(LINES), made_rows)
@example(None, [Row("\\", "|\\", "agent", "", key("x"))])
def test_rows_come_back(data: bytes | None, made: list[Row]) -> None:
    try:
        after = with_rows(data, made)
    except BadRequest:  # what a person left open at the front would close in it
        return
    assert rows(after) == tuple(made)
    assert rows(with_rows(after, made[:1])) == tuple(made[:1])


# -- skeletons -----------------------------------------------------------------------------------------------------

WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
VALUES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
SHAPES = [*(LOOKALIKES.items())]
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u202a\u202e\u2066\u200e\ufe0f\U000e0041\u034f\u061c\x00\x1b"
BLANKS = " \t\n\r\u00a0\u2003\u2009\u202f\u205f\u3000\u1680\u2028\u0085"
AMBIGUOUS = "\u03bd\u03c5"
"""Greek letters that read as another Latin one in a word without Latin letters."""


def respelled(text: str, rng: random.Random) -> str:
    out: list[str] = []
    for char in text:
        if char == " ":
            out.append("".join(rng.choice(BLANKS) for _ in range(rng.randint(1, 3))))
            continue
        c, way = rng.choice([char, char.upper()]), rng.randrange(6)
        if way == 0:
            c = chr(ord(c) - 0x20 + 0xFF00)
        elif way == 1 and c.isascii() and c.isalpha():
            c = chr((0x1D400 if c.isupper() else 0x1D41A) + ord(c.lower()) - 97)
        elif way == 2:
            like = [s for s in LOOKALIKES.get(char, "") if s not in AMBIGUOUS]
            c = rng.choice(like) if like else c
            c = c.upper() if rng.random() < 0.3 and skeleton(c.upper()) == skeleton(char) else c
        elif way == 3:
            c += rng.choice(["\u0336", "\u0335", "\u20dd", "\u0333\u0332\u0331"])
        out.append(c + rng.choice(["", "", rng.choice(UNSEEN)]))
    done = "".join(out)
    done = rng.choice(
        ["{}", "**{}**", "_{}_", "`{}`", "~~{}~~", "{}.", " {}!", "“{}”", "«{}»", "\u200f{}…", "**`{}`**."]
    ).format(done.strip() or done)
    return unicodedata.normalize(rng.choice(["NFC", "NFD", "NFKC", "NFKD"]), done)


@SETTINGS
@given(VALUES, st.integers(0, 2**32))
def test_a_value_is_known_however_it_is_spelled(value: str, seed: int) -> None:
    spelling = respelled(value, random.Random(seed))
    assert skeleton(spelling) == skeleton(value), ascii(spelling)


@SETTINGS
@given(VALUES, VALUES)
@example("port 8081", "port 808l")
@example("io", "10")
def test_values_are_one_only_if_look_alikes_are_all_that_differs(one: str, other: str) -> None:
    alike = str.maketrans("i1|0", "lllo")
    assert (skeleton(one) == skeleton(other)) == (one.translate(alike) == other.translate(alike))


@SETTINGS
@given(VALUES, st.integers(0, 2**32))
def test_a_digit_or_letter_that_is_another_makes_another_value(value: str, seed: int) -> None:
    rng = random.Random(seed)
    at = rng.choice([i for i, c in enumerate(value) if c != " "])
    new = rng.choice([c for c in "abcdefghjkmnpqrstuvwxyz23456789" if c != value[at]])
    assert skeleton(value[:at] + new + value[at + 1 :]) != skeleton(value)


NASTY = st.text(
    st.sampled_from(
        "aiIl1|0Oo*_~`\"'.! -\u0301\u0336\u00e9\u03bd\u03c5\u039d\u0130\u00df\u00b4\u1fef\u2026\ufb01\u3164\u200d\u2033<=\u0338"
    )
    | st.characters()
)


@settings(max_examples=1000, deadline=None)
@given(NASTY)
@example("a ~~~~ b")
@example("\u03bda")
@example("\u1e9e\u0345")
def test_a_skeleton_is_its_own_and_that_of_each_equivalent_form(text: str) -> None:
    once = skeleton(text)
    assert skeleton(once) == once
    assert skeleton(f"  {text}\n") == once
    for form in ("NFC", "NFD"):
        assert skeleton(unicodedata.normalize(form, text)) == once


@pytest.mark.parametrize("ascii_only", [True, False])
def test_every_single_character_ends_in_one_form(ascii_only: bool) -> None:
    for code in range(0x80) if ascii_only else range(0x80, 0x30000):
        char = chr(code)
        once = skeleton(f"a{char}b")
        assert skeleton(once) == once, hex(code)
