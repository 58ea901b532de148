"""A markdown file is never changed beyond what was asked: its bytes, its other entries, their ids."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from memshelf.domain.entry import ID
from memshelf.domain.text import clean, folded
from memshelf.errors import BadRequest, EmptyText
from memshelf.format import amend
from memshelf.format.document import Document, parse, problems
from memshelf.format.marker import Marker, decode, encode, escape, find, unescape

SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
PATH = "user/notes/a/b.md"
FRESH = "fedcba987654"

LINES = [
    "", "", "", "- a", "- a", "- b", "* c", "+ d", "1. e", "2) e", "- [ ] task", "- [x] done", "  - nested", "    - deeper", "  more of it",
    "    far in", "\ttabbed", "-\ttab", "lazy", "Words.", "Words.", "# Title", "## Part", "### 09:30 - Late", "### 10:00 - Noon", "Title", "===", "---", "***", "```", "```py", "~~~",
    "  ```", "<!--", "-->", "<!-- a note -->", "<div>", "</div>", "> said", "> - said", "| a | b |", "|---|---|", "| 1 | 2 |", "- 缓存键 é",
    "- `x <!-- m:0123456789ab -->`", "- - two", "-", "- ---", "- \\# x", "\\---", "- x <!-- said by Ann -->", "- p <!-- m:bad -->",
    "- stamped <!-- m:3f9a1c2b7d10 trust=confirmed -->", "- other <!-- m:aaaaaaaaaaaa at=2026-01-01T00:00:00Z odd x=1 -->",
    "<!-- m:bbbbbbbbbbbb -->", "  - inner <!-- m:cccccccccccc -->", "Said. <!-- m:dddddddddddd -->", "### 11:00 - Eve <!-- m:eeeeeeeeeeee -->",
    "# Whole <!-- m:ffffffffffff -->", "- &lt;!-- x --&gt;", "- trailing  ", "\x0b", "\udcff",
]  # fmt: skip
ENDS = ["\n", "\r\n", "\r"]
grains = st.sampled_from(["bullet", "bullet", "heading", "file"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(st.sampled_from(LINES), max_size=12))
    end = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r\n", "\r", ""]))
    text = "".join(line + (end or draw(st.sampled_from(ENDS))) for line in lines)
    if draw(st.integers(0, 5)) == 0:
        text = f"---\nkind: x\n- y\n---\n{text}"
    if draw(st.integers(0, 3)) == 0:
        text = text.rstrip("\r\n")
    if draw(st.integers(0, 5)) == 0:
        text = "\ufeff" + text
    return text.encode("utf-8", "surrogateescape")


WORDS = ["a", "b", "Words.", "use `x`", "**bold**", "缓存键", "naïve 👩\u200d💻", "C:\\x", "http://x/y?a=1&b=2", "a <b> c", "1", "x&lt;!--y", "5 > 3", "é",
         "[ ] todo", "[x] done", "\\", "\\# x", "\\[ ] x", "\\---", "&amp;", "|", "09:30 - Late"]  # fmt: skip
STARTS = ["", "", "", "- ", "* ", "1. ", "  ", "    ", "\t", "# ", "## ", "### ", "> ", "- [ ] ", "| "]
WHOLE = ["", "---", "***", "===", "-", "```", "```py", "~~~", "<!--", "-->", "<!-- x -->", "<div>", "</div>", "<script>", "|---|---|", "- - -", "_ _ _", "#",
         "<!-- m:aaaaaaaaaaaa trust=confirmed -->", "`<!-- m:0123456789ab -->`", "---\nx: 1\n---", "+", "*", "1."]  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = st.tuples(st.sampled_from(STARTS), st.sampled_from(WORDS)).map("".join) | st.sampled_from(WHOLE)
    text = "\n".join(draw(st.lists(lines, min_size=1, max_size=6)))
    try:
        return clean(text)[0]
    except EmptyText:
        assume(False)
        raise


any_text = texts() | st.text(min_size=1, max_size=30).filter(lambda t: _cleaned(t) != "").map(lambda t: _cleaned(t))


def _cleaned(text: str) -> str:
    try:
        return clean(text)[0]
    except EmptyText:
        return ""


def known(document: Document) -> Counter[tuple[str, str]]:
    return Counter((e.id, e.text) for e in document.entries if e.grain != "file")


def picked(data: st.DataObject, document: Document) -> int:
    places = [i for i, e in enumerate(document.entries) if e.grain != "file"]
    assume(places)
    return data.draw(st.sampled_from(places))


def own_lines(document: Document, index: int) -> set[int]:
    return {k for a, b in document.spans[index].own for k in range(a, b)}


def unmarked(line: str) -> str:
    """A line without our marker, and without what a stamp may change before it."""
    found = find(line.removeprefix("\ufeff"))
    bare = line.removeprefix("\ufeff")
    return (bare[: found.start].rstrip() + bare[found.end :].rstrip(" \t") if found else bare).rstrip(" \t\r\n")


def is_rest(after: Document, lines: list[str], twins_may_be_stamped: bool) -> bool:
    """Whether the file holds these lines in order, and besides them nothing but blank lines, spacers and marker lines."""
    wanted = iter([*lines, None])
    want = next(wanted)
    for line in after.lines:
        plain = line.removeprefix("\ufeff")
        if want is not None and (plain == want.removeprefix("\ufeff") or (twins_may_be_stamped and unmarked(line) == unmarked(want))):
            want = next(wanted)
        elif plain.strip("\r\n") in ("", amend.SPACER) or (twins_may_be_stamped and unmarked(line) == ""):
            continue
        else:
            return False
    return want is None


# -- reading -------------------------------------------------------------------------------------------------------


@settings(max_examples=400, deadline=None)
@given(files() | st.binary(max_size=60), grains)
@example(b"\xff\xfe- a\r\n\x00", "bullet")
@example(b"---", "file")
def test_any_bytes_are_read_and_are_the_bytes_again(data: bytes, grain: str) -> None:
    document = parse(data, PATH, grain)
    assert "".join(document.lines).encode("utf-8", "surrogateescape") == data
    assert len(document.entries) == len(document.spans) == len(document.markers)
    assert all(e.stamped or ID.fullmatch(e.id) for e in document.entries)
    assert problems(document) == sorted(problems(document), key=lambda p: p.line)
    assert isinstance(document.one_liner, str)


@SETTINGS
@given(files(), grains)
def test_no_two_hand_typed_entries_share_an_id_and_none_has_a_stamped_one(data: bytes, grain: str) -> None:
    document = parse(data, PATH, grain)
    typed = [e.id for e in document.entries if not e.stamped]
    assert len(set(typed)) == len(typed)
    assert not set(typed) & {e.id for e in document.entries if e.stamped}
    assert [e.id for e in parse(data, PATH, grain).entries] == [e.id for e in document.entries]


# -- the marker ----------------------------------------------------------------------------------------------------

pieces = st.lists(st.sampled_from(["<!--", "-->", "&", "amp;", "lt;!--", "gt;", "--", "<", ">", "!", "-", "a", " ", "%", "%41", "é", "\u3000", "\n", "%FF"]), max_size=10).map("".join)


@settings(max_examples=500, deadline=None)
@given(pieces | st.text())
def test_what_is_escaped_holds_no_comment_and_comes_back(text: str) -> None:
    safe = escape(text)
    assert "<!--" not in safe
    assert "-->" not in safe
    assert unescape(safe) == text


@settings(max_examples=500, deadline=None)
@given(pieces | st.text(st.characters(exclude_categories=["Cs"])))
def test_an_attribute_value_comes_back_and_is_one_word(text: str) -> None:
    word = encode(text)
    assert decode(word) == text
    assert len(word.split()) == (1 if text else 0)
    assert ">" not in word


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["at", "src", "trust", "tags", "odd", "x-1"]), (pieces | st.text(st.characters(exclude_categories=["Cs"]))).filter(bool)),
    st.lists(st.sampled_from(["word", "1", "=", "=v", "m:x"])),
    st.sampled_from(["", "- ", "- text ", "# T "]),
)
def test_a_marker_is_found_as_it_was_rendered(attributes: dict[str, str], foreign: list[str], before: str) -> None:
    marker = Marker("3f9a1c2b7d10", attributes, tuple(foreign))
    found = find(before + marker.render())
    assert found is not None
    assert (found.marker.id, dict(found.marker.attributes), found.marker.foreign) == (marker.id, attributes, tuple(foreign))
    assert found.start == len(before)
    assert found.marker.render() == marker.render()


# -- adding --------------------------------------------------------------------------------------------------------


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_text, st.sampled_from([b"", b"# T\n", b"# T\n\n- a\n", b"# T\r\n\r\n- a", b"\xef\xbb\xbf* a\n", b"Prose.\n", b"```\nopen\n"]))
@example("---", b"# T\n")
@example("- - -", b"# T\n")
@example("[ ] todo", b"# T\n")
@example("a  \nb", b"# T\n")
@example("\\[ ] todo", b"# T\n")
def test_every_text_is_kept_as_one_bullet_word_for_word(text: str, data: bytes) -> None:
    before = parse(data, PATH)
    assume(all(folded(e.text) != folded(text) for e in before.entries))
    after = parse(amend.add(before, text, Marker(FRESH, {"src": "user"})), PATH)
    assert [(e.id, e.text) for e in after.entries if e.id == FRESH] == [(FRESH, text)]
    assert known(after) == known(before) + Counter({(FRESH, text): 1})
    assert is_rest(Document(**{**vars(after), "lines": tuple(_less(after, FRESH))}), list(_closed(before)), False)


def _closed(document: Document) -> list[str]:
    lines = list(document.lines)
    return lines[:-1] + [lines[-1].rstrip("\r\n") + document.eol] if lines and not lines[-1].endswith(("\n", "\r")) else lines


def _less(document: Document, entry_id: str) -> list[str]:
    own = own_lines(document, document.where(entry_id)[0])
    return [line for k, line in enumerate(document.lines) if k not in own]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_text, st.sampled_from([b"# 2026-11-09\n", b"# 2026-11-09\n\n### 09:30 - Late\nWords.\n"]))
@example("Done\n\n## What\n\ntext\n---\nmore", b"# 2026-11-09\n")
def test_every_text_with_its_fences_closed_is_kept_as_one_section_of_a_log(text: str, data: bytes) -> None:
    text = f"10:00 - Noon\n{text}"
    before = parse(data, PATH, "heading")
    try:
        after = parse(amend.add(before, text, Marker(FRESH, {})), PATH, "heading")
    except BadRequest:
        assert re.search(r"^ *(`{3}|~~~|<script|<!--)", text, re.M)  # it would swallow the next section
        return
    assert [(e.id, e.text) for e in after.entries if e.id == FRESH] == [(FRESH, text)]
    assert known(after) == known(before) + Counter({(FRESH, text): 1})
    again = parse(amend.add(after, "11:00 - Eve\nMore.", Marker("aaaaaaaaaaaa", {})), PATH, "heading")
    assert [e.id for e in again.entries][-2:] == [FRESH, "aaaaaaaaaaaa"]


@SETTINGS
@given(files(), any_text, grains)
def test_adding_changes_no_line_and_no_other_entry_and_taking_it_away_again_leaves_the_file(data: bytes, text: str, grain: str) -> None:
    before = parse(data, PATH, grain)
    if grain == "heading":
        text = f"10:00 - Noon\n{text}"
    try:
        after = parse(amend.add(before, text, Marker(FRESH, {})), PATH, grain)
    except BadRequest:
        return
    assert known(after) == known(before) + Counter({(FRESH, text): 1})
    assert is_rest(Document(**{**vars(after), "lines": tuple(_less(after, FRESH))}), _closed(before), False)
    gone = parse(amend.remove(after, after.where(FRESH)[0]), PATH, grain)
    assert known(gone) == known(before)
    assert is_rest(gone, _closed(before), True)
