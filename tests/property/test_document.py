"""A markdown file is never changed beyond what was asked: its bytes, its other entries, their ids."""



from __future__ import annotations

import re
from collections import Counter

from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from memshelf.domain.entry import ID
from memshelf.domain.text import clean, folded
from memshelf.errors import BadRequest, EmptyText
from memshelf.format import amend, whole
from memshelf.format.document import Document, problems
from memshelf.format.marker import Marker, decode, encode, escape, find, unescape
from memshelf.format.reader import parse

SETTINGS = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
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
    return (bare[: found.start].rstrip(" \t") + bare[found.end :].rstrip(" \t") if found else bare).rstrip(" \t\r\n")


def is_rest(after: Document, lines: list[str], twins_may_be_stamped: bool) -> bool:
    """Whether the file holds these lines in order, and besides them nothing but blank lines, spacers and marker lines."""
    wanted = [line.removeprefix("\ufeff") for line in lines if line != "\ufeff"]
    at = 0
    for line in after.lines:
        plain, want = line.removeprefix("\ufeff"), wanted[at] if at < len(wanted) else None
        loose = want is not None and (at + 1 == len(wanted) or not want.strip("\r\n"))  # its line end may be new
        if (want is not None and (plain == want or (loose and plain.rstrip("\r\n") == want.rstrip("\r\n")))) or (want is not None and twins_may_be_stamped and unmarked(plain) == unmarked(want)):
            at += 1
        elif plain.strip("\r\n") not in ("", amend.SPACER) and not (twins_may_be_stamped and unmarked(plain) == ""):
            return False
    return at == len(wanted)


# -- reading -------------------------------------------------------------------------------------------------------


@settings(max_examples=250, deadline=None)
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

pieces = st.lists(
    st.sampled_from(
        [
            "<!--",
            "-->",
            "&",
            "amp;",
            "lt;!--",
            "gt;",
            "--",
            "<",
            ">",
            "!",
            "-",
            "a",
            " ",
            "%",
            "%41",
            "é",
            "\u3000",
            "\n",
            "%FF",
        ]
    ),
    max_size=10,
).map("".join)


@settings(max_examples=250, deadline=None)
@given(pieces | st.text())
def test_what_is_escaped_holds_no_comment_and_comes_back(text: str) -> None:
    safe = escape(text)
    assert "<!--" not in safe
    assert "-->" not in safe
    assert unescape(safe) == text


@settings(max_examples=250, deadline=None)
@given(pieces | st.text(st.characters(exclude_categories=["Cs"])))
def test_an_attribute_value_comes_back_and_is_one_word(text: str) -> None:
    word = encode(text)
    assert decode(word) == text
    assert len(word.split()) == (1 if text else 0)
    assert ">" not in word


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["at", "src", "trust", "tags", "odd", "x-1"]),
        (pieces | st.text(st.characters(exclude_categories=["Cs"]))).filter(bool),
    ),
    st.lists(st.sampled_from(["word", "1", "=", "=v", "m:x"])),
    st.sampled_from(["", "- ", "- text ", "# T "]),
)
def test_a_marker_is_found_as_it_was_rendered(attributes: dict[str, str], foreign: list[str], before: str) -> None:
    marker = Marker("3f9a1c2b7d10", attributes, tuple(foreign))
    found = find(before + marker.render())
    assert found is not None
    assert (found.marker.id, dict(found.marker.attributes), found.marker.foreign) == (
        marker.id,
        attributes,
        tuple(foreign),
    )
    assert found.start == len(before)
    assert found.marker.render() == marker.render()


# -- adding --------------------------------------------------------------------------------------------------------


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    any_text,
    st.sampled_from(
        [b"", b"# T\n", b"# T\n\n- a\n", b"# T\r\n\r\n- a", b"\xef\xbb\xbf* a\n", b"Prose.\n", b"```\nopen\n"]
    ),
)
@example("---", b"# T\n")
@example("- - -", b"# T\n")
@example("[ ] todo", b"# T\n")
@example("\\[ ] todo", b"# T\n")
def test_every_text_is_kept_as_one_bullet_word_for_word(text: str, data: bytes) -> None:
    before = parse(data, PATH)
    assume(all(folded(e.text) != folded(text) for e in before.entries))
    after = parse(amend.add(before, text, Marker(FRESH, {"src": "user"})), PATH)
    assert [(e.id, e.text) for e in after.entries if e.id == FRESH] == [(FRESH, text)]
    assert known(after) == known(before) + Counter({(FRESH, text): 1})
    assert is_rest(Document(**{**vars(after), "lines": tuple(_less(after, FRESH))}), list(before.lines), False)


def _less(document: Document, entry_id: str) -> list[str]:
    own = own_lines(document, document.where(entry_id)[0])
    return [line for k, line in enumerate(document.lines) if k not in own]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_text, st.sampled_from([b"# 2026-11-09\n", b"# 2026-11-09\n\n### 09:30 - Late\nWords.\n"]))
@example("Done\n\n## What\n\ntext\n---\nmore", b"# 2026-11-09\n")
def test_every_text_with_its_fences_closed_is_kept_as_one_section_of_a_log(text: str, data: bytes) -> None:
    text = f"10:00 - Noon\n{text}"
    before = parse(data, PATH, "heading")
    try:
        after = parse(amend.add(before, text, Marker(FRESH, {})), PATH, "heading")
    except BadRequest:
        assert re.search(r"^ *(`{3}|~~~|<script|<[!?])", text, re.M)  # it would swallow the next section
        return
    assert [(e.id, e.text) for e in after.entries if e.id == FRESH] == [(FRESH, text)]
    assert known(after) == known(before) + Counter({(FRESH, text): 1})
    again = parse(amend.add(after, "11:00 - Eve\nMore.", Marker("aaaaaaaaaaaa", {})), PATH, "heading")
    assert [e.id for e in again.entries][-2:] == [FRESH, "aaaaaaaaaaaa"]


@SETTINGS
@given(files(), any_text, grains)
def test_adding_changes_no_line_and_no_other_entry_and_taking_it_away_again_leaves_the_file(
    data: bytes, text: str, grain: str
) -> None:
    before = parse(data, PATH, grain)
    if grain == "heading":
        text = f"10:00 - Noon\n{text}"
    try:
        after = parse(amend.add(before, text, Marker(FRESH, {})), PATH, grain)
    except BadRequest:
        return
    assert known(after) == known(before) + Counter({(FRESH, text): 1})
    assert is_rest(Document(**{**vars(after), "lines": tuple(_less(after, FRESH))}), list(before.lines), False)
    gone = parse(amend.remove(after, after.where(FRESH)[0]), PATH, grain)
    assert known(gone) == known(before)
    assert is_rest(gone, list(before.lines), True)


# -- rewording and taking away -------------------------------------------------------------------------------------


@SETTINGS
@given(files(), grains, st.data())
def test_taking_an_entry_away_leaves_every_other_line_and_id(data: bytes, grain: str, draw: st.DataObject) -> None:
    before = parse(data, PATH, grain)
    index = picked(draw, before)
    try:
        after = parse(amend.remove(before, index), PATH, grain)
    except BadRequest:
        assert before.spans[index].nested or _copied(before)
        return
    assert known(after) == known(before) - Counter({(before.entries[index].id, before.entries[index].text): 1})
    own = own_lines(before, index)
    rest = [line for k, line in enumerate(before.lines) if k not in own]
    assert is_rest(after, rest, bool(before.twins(index)))
    assert after.data.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")


@SETTINGS
@given(files(), grains, texts(), st.data())
def test_rewording_an_entry_changes_its_own_lines_and_keeps_every_id(
    data: bytes, grain: str, text: str, draw: st.DataObject
) -> None:
    before = parse(data, PATH, grain)
    index = picked(draw, before)
    entry = before.entries[index]
    if entry.grain == "heading":
        text = f"12:00 - {text}"
    marker = before.markers[index] or Marker(entry.id, {})
    try:
        after = parse(
            amend.reword(before, index, text, Marker(entry.id, marker.attributes, marker.foreign)), PATH, grain
        )
    except BadRequest:
        return
    assert known(after) == known(before) - Counter({(entry.id, entry.text): 1}) + Counter({(entry.id, text): 1})
    stamps = bool(before.twins(index) or before.spans[index].nested or before.alike(text, index))
    rest = [line for k, line in enumerate(before.lines) if k not in own_lines(before, index)]
    here = after.where(entry.id)
    if len(here) == 1:
        left = [line for k, line in enumerate(after.lines) if k not in own_lines(after, here[0])]
        assert is_rest(Document(**{**vars(after), "lines": tuple(left)}), rest, stamps)


def _copied(document: Document) -> bool:
    return any(count > 1 for count in Counter(e.id for e in document.entries).values())


@SETTINGS
@given(files(), grains, st.data())
def test_a_stamped_entry_has_the_id_and_text_that_it_had_unstamped(
    data: bytes, grain: str, draw: st.DataObject
) -> None:
    before = parse(data, PATH, grain)
    chosen = draw.draw(st.sets(st.sampled_from(range(len(before.entries))))) if before.entries else set()
    after = parse(amend.stamp(before, chosen), PATH, grain)
    assert [(e.id, e.text) for e in after.entries] == [(e.id, e.text) for e in before.entries]
    assert all(after.entries[i].stamped for i in chosen)
    assert is_rest(after, list(before.lines), True)


@SETTINGS
@given(st.lists(st.sampled_from(["same", "Same", "other"]), min_size=2, max_size=6), st.data())
def test_a_twin_never_takes_over_an_id(words: list[str], draw: st.DataObject) -> None:
    before = parse("".join(f"- {word}\n" for word in words).encode(), PATH)
    index = draw.draw(st.sampled_from(range(len(words))))
    after = parse(amend.remove(before, index), PATH)
    assert [(e.id, e.text) for e in after.entries] == [
        (e.id, e.text) for i, e in enumerate(before.entries) if i != index
    ]


# -- writing a file as a whole -------------------------------------------------------------------------------------


@SETTINGS
@given(files(), files(), grains)
def test_a_whole_file_is_written_with_its_own_ids_and_trust_alone(data: bytes, content: bytes, grain: str) -> None:
    before = parse(data, PATH, grain)
    ids = iter(f"{n:012x}" for n in range(1000))
    text = content.decode("utf-8", "surrogateescape")
    made, gone = whole.rewritten(before, text, lambda: next(ids), {"at": "2026-11-09T00:00:00Z"})
    after = parse(made, PATH, grain)
    old = {e.id: i for i, e in enumerate(before.entries)}
    new_ids = Counter(e.id for e in after.entries)
    assert max(new_ids.values(), default=0) <= 1
    for entry in after.entries:
        if entry.id in old:
            was = before.entries[old[entry.id]]
            assert entry.trust == was.trust
            given_anew = ("at", "trust")  # the time of a rewording; a mark that says what held unsaid
            assert {k: v for k, v in entry.attributes.items() if k not in given_anew} == {
                k: v for k, v in was.attributes.items() if k not in given_anew
            }
        else:
            assert dict(entry.attributes) == {"at": "2026-11-09T00:00:00Z"}
            assert entry.stamped
    kept = {(e.id, e.text) for e in after.entries}
    assert [(e.id, e.text) for e in gone] == [
        (e.id, e.text) for e in before.entries if e.grain != "file" and (e.id, e.text) not in kept
    ]


@SETTINGS
@given(files(), grains)
def test_writing_a_file_as_it_is_changes_no_entry(data: bytes, grain: str) -> None:
    before = parse(data, PATH, grain)
    assume(before.lines and not _copied(before) and not problems(before))
    made, gone = whole.rewritten(before, data.decode("utf-8", "surrogateescape"), lambda: FRESH, {})
    assert gone == []
    assert known(parse(made, PATH, grain)) == known(before)
