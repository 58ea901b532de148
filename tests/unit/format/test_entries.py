"""What is an entry in a file that a person wrote, by example."""



from __future__ import annotations

import pytest

from memshelf.errors import BadRequest
from memshelf.format import amend, whole
from memshelf.format.document import Document, problems
from memshelf.format.marker import Marker
from memshelf.format.reader import parse

ID = "3f9a1c2b7d10"
M = f"<!-- m:{ID} -->"


def read(text: str, grain: str = "bullet") -> Document:
    return parse(text.encode(), "user/notes/a/b.md", grain)


def texts(text: str, grain: str = "bullet") -> list[tuple[str, str]]:
    return [(e.grain, e.text) for e in read(text, grain).entries]


def reworded(text: str, to: str, grain: str = "bullet", index: int = 0) -> str:
    document = read(text, grain)
    marker = document.markers[index] or Marker(document.entries[index].id, {})
    return amend.reword(document, index, to, marker).decode()


def test_a_marker_that_an_editor_wrapped_to_the_next_line_is_still_the_entrys() -> None:
    document = read(f"- Use httpx2, never requests.\n  <!-- m:{ID} at=2026-11-09T07:51:02Z -->\n- next\n")
    entry = document.entries[0]
    assert (entry.id, entry.text, entry.stamped) == (ID, "Use httpx2, never requests.", True)
    assert entry.attributes == {"at": "2026-11-09T07:51:02Z"}


def test_words_typed_behind_the_marker_belong_to_the_text() -> None:
    entry = read(f"- Use httpx2. {M} And never requests.\n").entries[0]
    assert (entry.id, entry.text) == (ID, "Use httpx2. And never requests.")


def test_a_marker_quoted_in_a_code_span_is_text() -> None:
    entry = read(f"- A marker looks like `{M}`.\n").entries[0]
    assert (entry.stamped, entry.text) == (False, f"A marker looks like `{M}`.")


def test_a_foreign_comment_is_no_text_and_stays_when_the_entry_is_reworded() -> None:
    line = f"- Ann is on call. <!-- checked by Bo --> {M}\n"
    assert texts(line) == [("bullet", "Ann is on call.")]
    assert reworded(line, "Cy is on call.") == f"- Cy is on call. <!-- checked by Bo --> {M}\n"


def test_what_we_do_not_know_in_a_marker_stays() -> None:
    line = f"- a <!-- m:{ID} later=1 odd src=user -->\n"
    assert reworded(line, "b") == f"- b <!-- m:{ID} later=1 src=user odd -->\n"


def test_what_is_nested_in_a_hand_typed_bullet_is_an_entry_of_its_own() -> None:
    document = read("- Servers\n  - alpha\n    on two lines\n  - beta\n- Other\n")
    assert [e.text for e in document.entries] == ["Servers", "alpha\non two lines", "beta", "Other"]
    assert document.entries[1].headings == ("Servers",)
    assert document.spans[0].nested == (1, 2)


def test_what_is_nested_in_a_marked_bullet_is_part_of_it_unless_it_has_a_marker() -> None:
    document = read(f"- Servers {M}\n  - alpha\n  - beta <!-- m:aaaaaaaaaaaa -->\n")
    assert [(e.id, e.text) for e in document.entries] == [(ID, "Servers\n- alpha"), ("aaaaaaaaaaaa", "beta")]


def test_an_entry_with_entries_in_it_is_not_taken_away() -> None:
    document = read("- Servers\n  - alpha\n")
    with pytest.raises(BadRequest, match=document.entries[1].id):
        amend.remove(document, 0)


def test_rewording_a_hand_typed_parent_stamps_what_is_nested_in_it() -> None:
    document = read("- Servers\n  - alpha\n")
    outer, inner = document.entries[0].id, document.entries[1].id
    assert reworded("- Servers\n  - alpha\n", "Hosts") == (
        f"- Hosts <!-- m:{outer} -->\n  - alpha <!-- m:{inner} trust=external -->\n"
    )


def test_an_empty_bullet_is_no_entry_but_what_is_nested_in_it_is() -> None:
    assert texts("-\n- a\n-\n  - b\n") == [("bullet", "a"), ("bullet", "b")]


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("```sh\nmake all\n```\n", "```sh\nmake all\n```"),
        ("> Measure twice.\n> Cut once.\n", "> Measure twice.\n> Cut once."),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "| a | b |\n|---|---|\n| 1 | 2 |"),
    ],
)
def test_a_block_carries_its_marker_on_the_line_above(block: str, text: str) -> None:
    document = read(f"# T\n\n{block}")
    assert [(e.grain, e.text) for e in document.entries] == [("block", text)]
    stamped = amend.stamp(document, [0]).decode()
    assert stamped == f"# T\n\n<!-- m:{document.entries[0].id} trust=external -->\n{block}"
    after = read(stamped).entries[0]
    assert (after.id, after.text, after.stamped) == (document.entries[0].id, text, True)


def test_a_paragraph_is_an_entry_and_becomes_a_bullet_where_its_new_text_is_no_paragraph() -> None:
    assert texts("# T\n\nAnn runs\nthe builds.\n") == [("paragraph", "Ann runs\nthe builds.")]
    before = "Ann runs the builds.\n\nMore.\n"
    entry_id = read(before).entries[0].id
    assert reworded(before, "Bo does.") == f"Bo does. <!-- m:{entry_id} -->\n\nMore.\n"
    assert (
        reworded(before, "Two do:\n\n- Ann\n- Bo") == f"- Two do: <!-- m:{entry_id} -->\n\n  - Ann\n  - Bo\n\nMore.\n"
    )


@pytest.mark.parametrize("head", ["### 09:30 - Deploy", "## 09:30 - decision"])
def test_a_timed_heading_and_what_stands_under_it_is_one_entry_of_a_log(head: str) -> None:
    text = f"# 2026-11-09\n\n{head} {M}\nWe shipped.\n\n- it took long\n\n{head.split()[0]} 10:00 - Next\n"
    words = head.lstrip("# ")
    document = read(text, "heading")
    assert next((e.id, e.grain, e.text) for e in document.entries) == (
        ID,
        "heading",
        f"{words}\nWe shipped.\n\n- it took long",
    )
    assert document.entries[1].text == "10:00 - Next"
    assert document.entries[0].headings == ("2026-11-09",)


def test_headings_and_underlines_in_a_log_entrys_text_do_not_end_it() -> None:
    base = read("# 2026-11-09\n", "heading")
    text = "09:30 - Deploy\n## What\n\nA title\n---\n#### Small\n\\# not one\n```\n# code\n```"
    data = amend.add(base, text, Marker(ID, {})).decode()
    assert data == (
        f"# 2026-11-09\n\n### 09:30 - Deploy {M}\n\\## What\n\nA title\n\\---\n#### Small\n\\\\# not one\n```\n# code\n```\n"
    )
    assert texts(data, "heading") == [("heading", text)]


def test_a_log_entry_that_would_swallow_the_next_one_is_refused() -> None:
    base = read("# 2026-11-09\n", "heading")
    with pytest.raises(BadRequest):
        amend.add(base, "09:30 - Deploy\n```\nnever closed", Marker(ID, {}))


def test_a_file_and_each_block_in_it_are_entries_where_the_file_is_the_memory() -> None:
    document = read(f"# Release process {M}\n\nTag first.\n\n- then push\n", "file")
    assert next((e.id, e.grain, e.text) for e in document.entries) == (ID, "file", "Release process")
    assert [(e.grain, e.text) for e in document.entries][1:] == [("paragraph", "Tag first."), ("bullet", "then push")]
    assert document.one_liner == "Tag first."


def test_a_file_without_title_and_its_first_block_have_two_markers() -> None:
    document = read("> Said.\n", "file")
    data = amend.stamp(document, [0, 1])
    after = parse(data, document.path, "file")
    assert [(e.id, e.stamped) for e in after.entries] == [(e.id, True) for e in document.entries]
    assert data.decode() == (
        f"<!-- m:{document.entries[0].id} trust=external -->\n\n<!-- m:{document.entries[1].id} trust=external -->\n> Said.\n"
    )


def test_a_file_keeps_its_own_id_where_the_new_text_has_no_marker() -> None:
    document = read(f"# A {M}\n\nb\n", "file")
    data, gone = whole.rewritten(document, "# A\n\nb\n", lambda: "aaaaaaaaaaaa", {})
    assert (data.decode(), gone) == (f"# A {M}\n\nb\n", [])


def test_an_underlined_heading_is_a_heading() -> None:
    document = read("Release\nprocess\n===\n\nPart\n---\n\n- a\n")
    assert document.title == "Release process"
    assert [(e.text, e.headings) for e in document.entries] == [("a", ("Release process", "Part"))]


def test_the_one_liner_is_the_first_paragraph_under_the_title_or_the_first_entry() -> None:
    assert read("# T\n\nOne line\nin two.\n\n- a\n").one_liner == "One line in two."
    assert read("# T\n\n- a\n- b\n").one_liner == "a"
    assert read("# T\n").one_liner == ""


def test_a_task_box_is_no_text_and_a_text_that_begins_with_one_is_kept() -> None:
    assert texts("- [ ] call Ann\n- [x] done\n") == [("bullet", "call Ann"), ("bullet", "done")]
    data = amend.add(read("# T\n"), "[ ] is an empty box", Marker(ID, {})).decode()
    assert data == f"# T\n\n- \\[ ] is an empty box {M}\n"
    assert texts(data) == [("bullet", "[ ] is an empty box")]
    assert reworded(f"- [ ] old {M}\n", "new") == f"- [ ] new {M}\n"


def test_a_bullet_goes_before_a_fence_that_is_never_closed_even_one_set_in() -> None:
    assert (
        amend.add(read("# T\n  ```\n  open\n"), "x", Marker(ID, {})).decode()
        == f"# T\n\n- x {M}\n<!-- -->\n  ```\n  open\n"
    )


def test_a_byte_order_mark_stays_the_first_thing_in_a_file() -> None:
    assert amend.add(read("\ufeff"), "x", Marker(ID, {})).decode() == f"\ufeff- x {M}\n"
    document = read("\ufeff```\nx\n```\n")
    assert (
        amend.stamp(document, [0]).decode()
        == f"\ufeff<!-- m:{document.entries[0].id} trust=external -->\n```\nx\n```\n"
    )
    assert read(f"\ufeff{M}\n> q\n").entries[0].id == ID


def test_rewording_one_entry_to_what_a_hand_typed_one_says_leaves_that_one_its_id() -> None:
    document = read(f"- a {M}\n- b\n")
    data = reworded(f"- a {M}\n- b\n", "b")
    assert data == f"- b {M}\n- b <!-- m:{document.entries[1].id} trust=external -->\n"


def test_malformed_and_doubled_ids_are_told_with_their_lines() -> None:
    document = read(f"- a <!-- m:xyz -->\n- b {M}\n- c {M}\n")
    assert [(p.line, p.what) for p in problems(document)] == [
        (1, "malformed id 'xyz'"),
        (3, f"id {ID} stands on lines 2, 3"),
    ]
