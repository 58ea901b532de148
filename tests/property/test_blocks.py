"""The block scanner calls things what markdown-it-py calls them."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memshelf.format.blocks import DEEPEST, scan
from memshelf.format.columns import columns, dedent

ORACLE = MarkdownIt("commonmark").disable(["reference", "inline"])  # reference definitions are text: abi/ENTRY.md
ORACLE.options["maxNesting"] = 1000  # it drops what is nested deeper; to us that is text

TYPES = {
    "heading_open": "heading", "paragraph_open": "paragraph", "fence": "fence", "code_block": "code",
    "html_block": "html", "hr": "rule", "blockquote_open": "quote", "list_item_open": "item",
}  # fmt: skip

HTML_ENDS = [  # by start, first match counts; what has no end here ends before a blank line
    (r"<(?ai:script|pre|style|textarea)(?=\s|>|$)", r"</(?ai:script|pre|style|textarea)>"), ("<!--", "-->"),
    (r"<\?", r"\?>"), ("<![A-Za-z]", ">"), (r"<!\[CDATA\[", r"\]\]>"), ("", ""),
]  # fmt: skip

MARKS = [
    "- ", "* ", "+ ", "-", "+", "-\t", "-     ", "1. ", "1.", "2) ", "01. ", "10. ", "123456789. ", "1234567890. ", "٣. ",
    "> ", ">", ">\t", "# ", "## ", "#", "#######", "```", "~~~", "````", "```py", "``` `", "===", "---", "--", "***",
    "_ _ _", "- ---", "- - -", "<!--", "-->", "<!-- c -->", "<!-->", "<!-- m:3f9a1c2b7d10 -->", "<div>", "</DIV>", "<b>",
    "<b a=c d>", "</b >", "<script>", "</script>", "<?x", "?>", "<!X", "<![CDATA[", "]]>", "[a]: b",
]  # fmt: skip
INDENTS = ["", "", "", *(" " * n for n in range(10)), "\t", " \t", "  \t", "\t\t", "   \t"]
TEXTS = [
    "", "", "text", "缓存键", "a - b", "é `x`", "`", "1", "- x", "> y", " ", "\t", "\\", "\x00", "\udc80", "\xa0", "x\x0b", "x  ",
]  # fmt: skip
SHAPES = ["- ", "-", "> ", ">", "1. ", "  ", "    ", "\t", "a", "```", "<!--", "# ", "==="]

Row = tuple[str, int, int, int, int, bool]

indent = st.sampled_from(INDENTS)
marks = st.lists(st.tuples(indent, st.sampled_from(["", "", *MARKS])).map("".join), max_size=4).map("".join)
line = st.tuples(marks, indent, st.sampled_from(TEXTS)).map("".join)
shape = st.lists(st.sampled_from(SHAPES), max_size=6).map("".join)
document = st.lists(st.one_of(st.just(""), line, shape), max_size=9)


def ours(source: list[str]) -> list[Row]:
    return [(b.type, b.start, b.end, b.level, b.parent, b.closed) for b in scan(source)]


def theirs(source: list[str]) -> list[Row]:
    out: list[Row] = []
    open_: list[int] = []
    for token in ORACLE.parse("".join(text + "\n" for text in source)):
        if token.type in ("blockquote_close", "list_item_close"):
            open_.pop()
        if token.type not in TYPES:
            continue
        assert token.map
        start, end = token.map
        closed = is_closed(token)
        if token.type != "fence" or not closed:
            # The oracle counts blank lines after some blocks. In a quote a bare `>` is blank to what the quote holds.
            quotes = sum(out[i][0] == "quote" for i in open_)
            blank = re.compile(rf"(?:[ \t]*>){{0,{quotes}}}[ \t]*$")
            while end > start + 1 and (end > len(source) or blank.match(source[end - 1])):
                end -= 1
        kind = TYPES[token.type]
        if kind == "html" and token.content.lstrip(" \t").startswith("<!--"):
            kind = "comment"
        level = int(token.tag[1]) if kind == "heading" else 0
        out.append((kind, start, end, level, open_[-1] if open_ else -1, closed))
        if kind in ("quote", "item"):
            open_.append(len(out) - 1)
    return out


def is_closed(token: Token) -> bool:
    if token.type == "fence" and token.map:
        return token.content.count("\n") == token.map[1] - token.map[0] - 2  # between the two fences
    if token.type == "html_block":
        content = token.content.lstrip(" \t")
        return re.search(next(end for start, end in HTML_ENDS if re.match(start, content)), content) is not None
    return True


@settings(max_examples=1000, deadline=None)
@given(document)
@example(["- a", "", "  - b", "    c", "d", "", "- e"])
@example(["<!--", "- no item", "-->", "- item"])
@example(["> a", ">"])  # a quote's last line may be bare
@example(["> a", "     > b"])  # by the specification a lazy line, to the oracle the quote's second
@example([">> a", "    # b"])  # by the specification a lazy line, to the oracle code
@example(["1.     ", "2.    a", "    # b"])
@example(["100000. a", "     # b", "     c"])  # the same behind an item
@example([">>\t\ta", "> >\t- b"])  # tabs in a quote in a quote
@example(["- ```", "", "", "  x", "", "y"])
def test_blocks_are_what_markdown_it_calls_them(source: list[str]) -> None:
    assert ours(source) == theirs(source)


@settings(max_examples=200, deadline=None)
@given(document, document)
def test_scanning_from_a_later_line_sees_nothing_of_the_lines_before(before: list[str], source: list[str]) -> None:
    first = len(before)
    later = scan(before + source, first)
    assert [b._replace(start=b.start - first, end=b.end - first) for b in later] == scan(source)


def test_a_comment_that_holds_bullets_holds_no_item() -> None:
    blocks = scan(["<!--", "- hidden", "", "- hidden too", "-->", "- shown"])
    assert [(b.type, b.start, b.end) for b in blocks if b.parent < 0] == [("comment", 0, 5), ("item", 5, 6)]


def test_a_fence_in_an_item_belongs_to_it_whole() -> None:
    blocks = scan(["- run:", "  ```", "  - not an item", "", "  ```", "- next"])
    assert [(b.type, b.start, b.end, b.parent, b.closed) for b in blocks] == [
        ("item", 0, 5, -1, True), ("paragraph", 0, 1, 0, True), ("fence", 1, 5, 0, True),
        ("item", 5, 6, -1, True), ("paragraph", 5, 6, 3, True),
    ]  # fmt: skip


def test_nested_and_continued_bullets_are_parts_of_the_bullet_above() -> None:
    blocks = scan(["- a", "  more of a", "lazily more", "  - b", "", "    second paragraph of b", "- c"])
    assert [(b.type, b.start, b.end, b.parent) for b in blocks] == [
        ("item", 0, 6, -1), ("paragraph", 0, 3, 0), ("item", 3, 6, 0), ("paragraph", 3, 4, 2), ("paragraph", 5, 6, 2),
        ("item", 6, 7, -1), ("paragraph", 6, 7, 5),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        ("- a", 2), ("-   a", 4), ("-      code", 2), ("-", 2), ("-\ta", 4), (" 10. a", 5), ("  -\t\ta", 4),
        ("> - a", 4), (">> - a", 5),
    ],
)  # fmt: skip
def test_an_item_says_in_which_column_its_content_starts(text: str, indent: int) -> None:
    assert [b.indent for b in scan([text]) if b.type == "item"] == [indent]


@pytest.mark.parametrize(
    ("kind", "opener", "closer"),
    [("fence", "```", "```"), ("fence", "~~~", "~~~~"), ("comment", "<!--", "-->"), ("html", "<?", "?>")],
)
def test_an_unclosed_fence_or_comment_says_so_and_ends_with_its_last_words(kind: str, opener: str, closer: str) -> None:
    assert [(b.type, b.end, b.closed) for b in scan([opener, "x", ""])] == [(kind, 2, False)]
    assert [(b.type, b.end, b.closed) for b in scan([opener, "x", "", closer])] == [(kind, 4, True)]
    assert [(b.type, b.end, b.closed) for b in scan(["- " + opener, "  x", "", "y"])] == [
        ("item", 2, True), (kind, 2, False), ("paragraph", 4, True),
    ]  # fmt: skip


def test_containers_deeper_than_the_limit_are_text() -> None:
    for mark in ("- ", "> "):
        blocks = scan([mark * (DEEPEST + 50) + "x"])
        assert len(blocks) == DEEPEST + 1
        assert blocks[-1] == ("paragraph", 0, 1, 0, DEEPEST - 1, 0, True)


@pytest.mark.parametrize(
    ("text", "width", "rest"), [("  a", 2, "a"), ("\ta", 2, "  a"), (" \ta", 4, "a"), ("a", 3, "a"), ("   a", 2, " a")]
)
def test_dedent_takes_columns_and_leaves_the_rest_of_a_tab_as_spaces(text: str, width: int, rest: str) -> None:
    assert dedent(text, width) == rest
    assert columns(text) == max(0, width + columns(rest)) or columns(text) < width


HUGE = 500_000
DEEP = "- " * DEEPEST + "x"
OPENERS = ["> ", "- ", "* ", "- * ", "<", "`", "-", "=", " ", "\t", "1"]


@pytest.mark.parametrize(
    "source",
    [
        *([opener * (HUGE // len(opener)) + end] for opener in OPENERS for end in ("", "x")),
        ["<a" + " b" * HUGE],
        ["<a " + " " * HUGE],
        ["<a b=x" + "\xa0c" * HUGE],
        ["<a" + "\xa0b=x\xa0b\xa0b" * (HUGE // 8) + "!"],
        ["<a" + " b='c'" * (HUGE // 6) + "!"],
        ["<a b='" * (HUGE // 6)],
        ["`" * HUGE, *["`"] * 20_000],
        [DEEP, " " * HUGE + "x", "\t" * HUGE + "x"],
        [DEEP, *[""] * 20_000],
        [DEEP, *["", " "] * 20_000],
        [DEEP, *["-y"] * 20_000],
        ["> " * DEEPEST + "x", *["y"] * 20_000],
        ["> ```", "y"] * 20_000,
        [">" * 200] * 500,
    ],
    ids=lambda source: f"{source[0][:8]!r}-{len(source)}",
)
def test_a_hostile_file_is_read_in_one_go(source: list[str]) -> None:
    """No time is asked for: what is not linear does not come back from this."""
    assert all(b.start < b.end <= len(source) for b in scan(source))


def test_a_long_list_is_read_in_one_go() -> None:
    assert len(scan(["- filler line of ordinary length"] * 100_000)) == 200_000
