"""A whole file written anew: which entries its texts are, and which of the old ones it ends. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from memshelf.domain.entry import Entry
from memshelf.errors import BadRequest
from memshelf.format import managed
from memshelf.format.amend import joined, marked_lines, plain_marker, plain_markers, require_kept
from memshelf.format.document import Document
from memshelf.format.marker import Marker
from memshelf.format.reader import parse


def rewritten(
    document: Document, content: str, new_id: Callable[[], str], attributes: Mapping[str, str]
) -> tuple[bytes, list[Entry]]:
    """The whole file as `content`, and the entries whose texts it ends.

    A marker in `content` only says which entry a text is: its attributes are those that the file has, `attributes` are
    set where the text is new or reworded, and an id that the file does not know gets a fresh one.
    """
    lined = content.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n") + "\n"
    bom = "\ufeff" if document.data.startswith(b"\xef\xbb\xbf") and not lined.startswith("\ufeff") else ""
    data = (bom + lined.replace("\n", document.eol)).encode("utf-8", "surrogateescape")
    new = parse(data, document.path, document.grain)
    old: dict[str, int] = {}
    for i, entry in enumerate(document.entries):
        if entry.grain != "file":
            old.setdefault(entry.id, i)
    markers: dict[int, Marker] = {}
    used: set[int] = set()
    for i, entry in enumerate(new.entries):
        was = 0 if entry.grain == "file" and document.entries else old.get(entry.id)
        if was is None or was in used:
            markers[i] = Marker(new_id(), {k: v for k, v in attributes.items() if v})
        else:
            base = document.markers[was] or plain_marker(document, was)
            entry_id = document.entries[was].id
            same = document.entries[was].text == entry.text
            if not (same and not entry.stamped and not document.entries[was].stamped):
                kept = Marker(entry_id, base.attributes, base.foreign)
                markers[i] = kept if same else kept.updated(attributes)
            used.add(was)
    nested = [k for i in markers if not new.entries[i].stamped for k in new.spans[i].nested]
    lines = marked_lines(new, markers=plain_markers(new, nested) | markers)
    after = parse(joined(lines), document.path, document.grain)
    require_kept(Counter(e.text for e in after.entries) == Counter(e.text for e in new.entries), content)
    if not managed.kept(document, after):
        raise BadRequest(
            "The content changes a block that memshelf keeps.",
            "Leave the lines from '<!-- memshelf:NAME -->' to '<!-- /memshelf:NAME -->' as they stand in the file.",
        )
    now = {entry.id: entry.text for entry in after.entries}
    gone = [e for e in document.entries if e.grain != "file" and now.get(e.id) != e.text]
    return after.data, gone
