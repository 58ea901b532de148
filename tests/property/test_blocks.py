"""The block scanner calls things what markdown-it-py calls them."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memshelf.format.blocks import scan
from memshelf.format.columns import columns, dedent

ORACLE = MarkdownIt("commonmark").disable("reference")  # reference definitions are text to a memory: abi/ENTRY.md

TYPES = {
    "heading_open": "heading", "paragraph_open": "paragraph", "fence": "fence", "code_block": "code",
    "html_block": "html", "hr": "rule", "blockquote_open": "quote", "list_item_open": "item",
}  # fmt: skip

MARKS = ["- ", "* ", "+ ", "-", "1. ", "2) ", "10. ", "-\t", "-     ", "> ", ">", "# ", "## ", "#", "```", "~~~", "````", "```py",
         "<!--", "-->", "<!-- c -->", "<div>", "</div>", "<b>", "<script>", "</script>", "<?x", "===", "---", "--", "***", "- ---",
         "[a]: b", "<!-- m:3f9a1c2b7d10 -->"]  # fmt: skip
INDENTS = ["", "", "", " ", "  ", "   ", "    ", "     ", "      ", "\t", " \t", "  \t", "\t\t", "        "]
TEXTS = ["", "", "text", "缓存键", "a - b", "é `x`", "`", "1", "- x", "> y", " ", "\t", "\\", "\x00", "x  "]


OUTSIDE = re.compile(r"(?:\t|    )[ \t]*>")
"""A quote mark behind four columns: the specification says that it is text, the oracle reads it in some places as a
quote. We follow the specification (section 5.1)."""


@st.composite
def lines(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.tuples(st.sampled_from(INDENTS), st.sampled_from(["", "", *MARKS]), st.sampled_from(INDENTS),
                                    st.sampled_from(["", "", *MARKS])), max_size=2))  # fmt: skip
    return "".join("".join(part) for part in parts) + draw(st.sampled_from(TEXTS))


def ours(source: list[str]) -> list[tuple[str, int, int, int, int]]:
    return [("html" if b.type == "comment" else b.type, b.start, b.end, b.level, b.parent) for b in scan(source)]


def theirs(source: list[str]) -> list[tuple[str, int, int, int, int]]:
    out: list[tuple[str, int, int, int, int]] = []
    open_: list[int] = []
    for token in ORACLE.parse("\n".join(source)):
        if token.type in ("blockquote_close", "list_item_close"):
            open_.pop()
        if token.type not in TYPES:
            continue
        assert token.map
        start, end = token.map
        while end > start + 1 and (end > len(source) or not source[end - 1].strip(" \t")):
            end -= 1  # the oracle counts blank lines after some blocks
        level = int(token.tag[1]) if token.type == "heading_open" else 0
        out.append((TYPES[token.type], start, end, level, open_[-1] if open_ else -1))
        if token.type in ("blockquote_open", "list_item_open"):
            open_.append(len(out) - 1)
    return out


def trimmed(rows: list[tuple[str, int, int, int, int]]) -> list[tuple[str, int, int, int, int]]:
    """Ends of containers and of blocks that may end in blank lines are compared by their content."""
    return [(t, s, 0 if t in ("quote", "item", "fence", "html") else e, lv, p) for t, s, e, lv, p in rows]


@settings(max_examples=1500, deadline=None)
@given(st.lists(lines().filter(lambda line: not OUTSIDE.search(line)), max_size=9))
@example(["- a", "", "  - b", "    c", "d", "", "- e"])
@example(["<!--", "- no item", "-->", "- item"])
def test_blocks_are_what_markdown_it_calls_them(source: list[str]) -> None:
    assume(not outdented(source))
    assert trimmed(ours(source)) == trimmed(theirs(source))


def outdented(source: list[str]) -> bool:
    """A line indented by four columns or more under an item whose content starts still further right, or a quote: the specification
    says lazy continuation (5.2), the oracle lets such a line end the paragraph and then reads it as code."""
    blocks = scan(source)
    deep = [b.start for b in blocks if b.type == "quote" or (b.type == "item" and b.indent - (blocks[b.parent].indent if b.parent >= 0 else 0) >= 5)]
    return any(re.search(r"\t|    ", source[k]) for start in deep for k in range(start + 1, len(source)))


def test_a_comment_that_holds_bullets_holds_no_item() -> None:
    blocks = scan(["<!--", "- hidden", "-->", "- shown"])
    assert [(b.type, b.start, b.end) for b in blocks if b.parent < 0] == [("comment", 0, 3), ("item", 3, 4)]


def test_a_fence_in_an_item_belongs_to_it_whole() -> None:
    blocks = scan(["- run:", "  ```", "  - not an item", "  ```", "- next"])
    assert [(b.type, b.start, b.end, b.closed) for b in blocks] == [
        ("item", 0, 4, True), ("paragraph", 0, 1, True), ("fence", 1, 4, True), ("item", 4, 5, True), ("paragraph", 4, 5, True),
    ]  # fmt: skip


def test_an_unclosed_fence_says_so_and_a_closed_one_does_not() -> None:
    assert [b.closed for b in scan(["```", "x"])] == [False]
    assert [b.closed for b in scan(["```", "x", "```"])] == [True]


@pytest.mark.parametrize(("line", "width", "rest"), [("  a", 2, "a"), ("\ta", 2, "  a"), (" \ta", 4, "a"), ("a", 3, "a"), ("   a", 2, " a")])
def test_dedent_takes_columns_and_leaves_the_rest_of_a_tab_as_spaces(line: str, width: int, rest: str) -> None:
    assert dedent(line, width) == rest
    assert columns(line) == max(0, width + columns(rest)) or columns(line) < width


@pytest.mark.parametrize("line", ["> " * 5000 + "x", "- " * 5000 + "x", "<" * 100_000, "-" * 100_000 + "x", "<a " + "b " * 50_000, "* " * 50_000])
def test_a_hostile_line_is_read_in_one_go(line: str) -> None:
    assert scan([line, line])
