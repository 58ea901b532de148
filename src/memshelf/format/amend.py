"""Changes to one entry of a parsed file: add, reword, remove, stamp, remark. Pure: a Document in, the new bytes out.

Each change is proven before it is returned: the new bytes are parsed again, and every entry that was not asked to
change must come back with the id and the text it had. A text that cannot be kept as one entry in its place is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from memshelf.errors import BadRequest
from memshelf.format import managed
from memshelf.format.document import Document
from memshelf.format.marker import Marker, escape, find
from memshelf.format.reader import parse
from memshelf.format.wording import box_guarded, escaped, guarded

SPACER = "<!-- -->"


def new_file(title: str, text: str, marker: Marker, grain: str, path: str) -> bytes:
    """A file with a title and its first entry; for grain "file" the marker stands on the title and text is the body.

    A body that brings its own H1 keeps it.
    """
    if grain == "file":
        first, _, rest = text.partition("\n")
        if first.startswith("# "):
            title, text = first[2:].strip(), rest.strip("\n")
        body = f"\n{escaped(text)}\n" if text else ""
        data = f"# {_heading(title)} {marker.render()}\n{body}".encode()
        require_kept(parse(data, path, grain).entries[0].id == marker.id, title)
        return data
    base = parse(f"# {_heading(title)}\n".encode(), path, grain)
    return add(base, text, marker)


def add(document: Document, text: str, marker: Marker) -> bytes:
    """The file with one more entry at its end (for grain "heading": a section whose title is the text's first line)."""
    rendered = _section(text, marker) if document.grain == "heading" else _item("- ", 2, text, marker)
    at = _last_line(document)
    mark, lines = _without_mark(document)
    close = at > 0 and not lines[at - 1].endswith(("\n", "\r"))
    new = [line + document.eol for line in rendered]
    if close:
        lines[at - 1] += document.eol
        new[-1] = new[-1].removesuffix(document.eol)
    gap = [] if at == 0 or _joins(document, at) else [document.eol]
    spacer = [SPACER + document.eol]
    gaps = ((gap, []), ([document.eol], []), (spacer, []), (gap, spacer))  # the last: an open fence, set in, follows
    tries = ([mark, *lines[:at], *before, *new, *behind, *lines[at:]] for before, behind in gaps)
    return _proven(document, tries, _expected(document), (marker.id, text))


def reword(document: Document, index: int, text: str, marker: Marker) -> bytes:
    """The file with entry `index` saying `text` under `marker`, whose id is the entry's own.

    Twins of an unstamped entry (same text, counted by place) are stamped in the same change, so that no id moves on to
    another line; so are hand-typed entries nested in it.
    """
    entry, span = document.entries[index], document.spans[index]
    if entry.grain == "file":
        return _reworded_file(document, text, marker)
    if entry.grain == "heading":
        forms = [_section(text, marker, span.prefix)]
    elif entry.grain == "bullet":
        forms = [_item(span.prefix, span.indent, text, marker, span.tail)]
    else:
        first, *rest = escaped(text).split("\n")
        above = [[marker.render(), *text.split("\n")], [marker.render(), first, *rest]]
        inline = [" ".join(filter(None, (first, span.tail, marker.render()))), *rest]
        forms = above if entry.grain == "block" or span.above else [inline]
        forms = [*forms, _item("- ", 2, text, marker, span.tail)]  # what is no paragraph and no block is a bullet
    tries = (lines for rendered in forms for lines in _tries(document, index, rendered, text))
    return _proven(document, tries, _expected(document, without=index), (marker.id, text))


def remove(document: Document, index: int) -> bytes:
    """The file without entry `index`; every other byte stays, but that its unstamped twins are stamped.

    Raises:
        BadRequest: entries with ids of their own stand inside it.
    """
    span = document.spans[index]
    if span.nested:
        ids = ", ".join(document.entries[i].id for i in span.nested)
        raise BadRequest(
            f"Entry {document.entries[index].id} has entries nested in it: {ids}.",
            "Call delete_memory for those first, or revise_memory to change its own words.",
        )
    return _proven(document, _tries(document, index, [], ""), _expected(document, without=index))


def stamp(document: Document, indices: Iterable[int]) -> bytes:
    """The file with those hand-typed entries carrying, as a marker, exactly the ids that they already have."""
    markers = plain_markers(document, indices)
    return _proven(document, (marked_lines(document, markers=markers),), _expected(document))


def remark(document: Document, index: int, changes: Mapping[str, str]) -> bytes:
    """The file with attributes of entry `index` set, "" taking one away; its text stays, and it is marked by then."""
    plain = plain_markers(document, [index])
    marker = document.markers[index] or plain.get(index) or plain_marker(document, index)
    marker = Marker(document.entries[index].id, marker.attributes, marker.foreign).updated(changes)
    lines = marked_lines(document, markers=plain | {index: marker})
    return _proven(document, (lines,), _expected(document))


# -- rendering -------------------------------------------------------------------------------------------------------


def _item(prefix: str, indent: int, text: str, marker: Marker, tail: str = "") -> list[str]:
    first, *rest = escaped(text).split("\n")
    if not prefix.rstrip().endswith("]"):
        first = box_guarded(first)
    if not prefix.endswith((" ", "\t")):
        prefix += " "
    head = " ".join(filter(None, (prefix.rstrip() if not first else prefix + first, tail, marker.render())))
    return [head, *((" " * indent + line) if line else "" for line in rest)]


def _section(text: str, marker: Marker, prefix: str = "### ") -> list[str]:
    title, _, body = text.partition("\n")
    lines = [f"{prefix}{escape(title)} {marker.render()}"]
    return [*lines, *guarded(escaped(body), prefix.count("#")).split("\n")] if body else lines


def _whole(document: Document, text: str, marker: Marker) -> list[str]:
    """The file's title line with the marker, then the text; a text with its own H1 replaces the title."""
    first, _, rest = text.partition("\n")
    title = document.title
    if first.startswith("# "):
        title, text = first[2:].strip(), rest.strip("\n")
    head = f"# {_heading(title)} {marker.render()}" if title else marker.render()
    return [head, "", *escaped(text).split("\n")] if text else [head]


def _heading(title: str) -> str:
    return escape(" ".join(title.split()))


def _last_line(document: Document) -> int:
    """Where a new entry goes: after the last line that is not blank, but before an open fence or HTML block, and before
    the entry that this is part of."""
    for block in document.blocks:
        if block.parent < 0 and not block.closed:
            pairs = zip(document.entries, document.spans, strict=True)
            holding = (
                span.start for entry, span in pairs if entry.grain != "file" and span.start <= block.start < span.end
            )
            return min(holding, default=block.start)
    at = len(document.lines)
    while at > 0 and not document.lines[at - 1].strip("\r\n\t \ufeff"):
        at -= 1
    return at


def _joins(document: Document, at: int) -> bool:
    """Whether a new bullet may stand on the next line: the file ends in a list of the same mark."""
    if document.grain == "heading":
        return False
    top = [block for block in document.blocks if block.parent < 0 and block.start < at]
    return bool(top) and top[-1].type == "item" and document.lines[top[-1].start].lstrip("\ufeff \t").startswith("- ")


# -- proof -----------------------------------------------------------------------------------------------------------


def plain_marker(document: Document, index: int) -> Marker:
    return Marker(document.entries[index].id, {"trust": document.entries[index].trust})


def plain_markers(document: Document, indices: Iterable[int]) -> dict[int, Marker]:
    """Markers for hand-typed entries and those nested in them, which a marked entry would take for its own text."""
    out: dict[int, Marker] = {}
    left = [i for i in indices if not document.entries[i].stamped]
    while left:
        i = left.pop()
        out[i] = plain_marker(document, i)
        left += [k for k in document.spans[i].nested if not document.entries[k].stamped]
    return out


def _expected(document: Document, without: int = -1) -> list[tuple[str, str]]:
    """Id and text of every entry that has to be there afterwards, in order."""
    return [(e.id, e.text) for i, e in enumerate(document.entries) if i != without and e.grain != "file"]


def marked_lines(
    document: Document,
    drop: Collection[int] = (),
    at: int = -1,
    new: Iterable[str] = (),
    markers: Mapping[int, Marker] | None = None,
) -> list[str]:
    """The file's lines without those in `drop`, with `new` before line `at`, and with entries' markers set."""
    mark, lines = _without_mark(document)
    above: dict[int, str] = {}
    inline: dict[int, str] = {}
    for i, marker in sorted((markers or {}).items()):
        span, words = document.spans[i], marker.render()
        if document.markers[i] is not None:
            for k in range(span.start, span.end):
                if found := find(lines[k]):
                    line = inline.get(k, lines[k])
                    inline[k] = line[: found.start] + words + line[found.end :]
                    break
        elif document.entries[i].grain == "block":
            above[span.start] = above.get(span.start, "") + words + document.eol
        elif document.entries[i].grain == "file" and not _headed(document):
            above[span.start] = words + document.eol * 2  # directly above a block it would be that block's
        else:
            line = inline.get(span.start, lines[span.start])
            bare = line.rstrip("\r\n")
            inline[span.start] = bare.rstrip(" \t") + f" {words}" + line[len(bare) :]
    out: list[str] = []
    for k, line in enumerate(lines):
        if k == at:
            out += [part + document.eol for part in new]
        if k in drop:
            continue
        if k in above:
            out.append(above[k])
        out.append(inline.get(k, line))
    if words := above.get(len(lines)):  # the marker of a file that holds nothing
        out += [document.eol] if out and not out[-1].endswith(("\n", "\r")) else []
        out.append(words)
    if lines and out and not lines[-1].endswith(("\n", "\r")) and len(lines) - 1 in drop and new:
        out[-1] = out[-1].removesuffix(document.eol)
    return [mark, *out]


def _headed(document: Document) -> bool:
    """Whether the file's own marker stands on a heading."""
    start = document.spans[0].start
    return any(block.type == "heading" and block.level == 1 and block.start == start for block in document.blocks)


def joined(lines: Iterable[str]) -> bytes:
    """The lines as bytes; one that ends in CR and one that is only LF stay two."""
    out: list[str] = []
    for line in lines:
        if line:
            out.append("\r" + line if line[0] == "\n" and out and out[-1][-1] == "\r" else line)
    return "".join(out).encode("utf-8", "surrogateescape")


def _without_mark(document: Document) -> tuple[str, list[str]]:
    """The byte order mark, and the lines without it."""
    mark = "\ufeff" if document.data.startswith(b"\xef\xbb\xbf") else ""
    return mark, [document.lines[0].removeprefix(mark), *document.lines[1:]] if mark else list(document.lines)


def _tries(document: Document, index: int, rendered: list[str], text: str) -> Iterator[list[str]]:
    """Entry `index` replaced by `rendered`: as it is, then with a blank line, then with a comment behind it, which keep
    what follows from being read as part of what stands before."""
    entry, span = document.entries[index], document.spans[index]
    resting = {
        *document.twins(index),
        *(() if entry.stamped else span.nested),
        *(document.alike(text, index) if text else ()),
    }
    markers = plain_markers(document, resting)
    own = {k for a, b in span.own for k in range(a, b)}
    for gap in ((), ("",), ("", SPACER, "")):
        yield marked_lines(document, own, span.start, [*rendered, *gap], markers)


def _proven(
    document: Document,
    tries: Iterable[list[str]],
    expected: list[tuple[str, str]],
    fresh: tuple[str, str] | None = None,
) -> bytes:
    """The first of `tries` that parses to the expected entries, and `fresh` once among them."""
    for lines in tries:
        data = joined(lines)
        after = parse(data, document.path, document.grain)
        if not managed.kept(document, after):
            continue
        if document.grain == "heading" and _open_blocks(after) > _open_blocks(document):
            continue  # it would swallow the next section
        found = [(e.id, e.text) for e in after.entries if e.grain != "file"]
        if fresh is not None and fresh in found:
            # From the end: most often it is the last, and the archive holds several texts under one id.
            del found[len(found) - 1 - found[::-1].index(fresh)]
        elif fresh is not None:
            continue
        if found == expected:
            return data
    raise _unkeepable(fresh[1] if fresh else "")


def _open_blocks(document: Document) -> int:
    return sum(not block.closed for block in document.blocks if block.parent < 0)


def _reworded_file(document: Document, text: str, marker: Marker) -> bytes:
    mark, lines = _without_mark(document)
    start = document.spans[0].start
    ours = [line for a, b in document.managed if a >= start for line in (document.eol, *lines[a:b])]
    new = [line + document.eol for line in _whole(document, text, marker)]
    after = parse(joined([mark, *lines[:start], *new, *ours]), document.path, document.grain)
    require_kept(after.entries[0].id == marker.id and managed.kept(document, after), document.title)
    return after.data


def require_kept(kept: bool, text: str) -> None:
    if not kept:
        raise _unkeepable(text)


def _unkeepable(text: str) -> BadRequest:
    shape = f"The text {text[:60]!r}" if text else "This change"
    return BadRequest(
        f"{shape} cannot stand as one entry at its place: it would change how it or its neighbours are read.",
        "Use plain sentences, or call revise_memory with file, content and base to write the file as a whole.",
    )
