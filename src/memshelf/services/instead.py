"""What to call instead, when adding is not how a file of some kind changes."""

from __future__ import annotations

from memshelf.domain.kinds import Kind
from memshelf.errors import ReviseInstead
from memshelf.format.document import Document
from memshelf.search.envelope import fenced
from memshelf.store.files import etag
from memshelf.store.store import Store


def revise_instead(store: Store, path: str, kind: Kind, document: Document) -> ReviseInstead:
    """The refusal of an add to a file that is revised in place: its entries as data, its etag, the exact calls."""
    address, tag = store.address(path), etag(document.data)
    entries = [entry for entry in document.entries if entry.grain != "file"]
    first = document.entries[0].id if document.entries else ""
    calls = f'revise_memory(id="{first}", text="...", base="{tag}") to change it' if first else ""
    add_call = f'revise_memory(file="{address}", insert="...", base="{tag}") to add to it'
    listing = fenced((store.address(path, e.id), e.text) for e in entries[:12])
    more = f'\n({len(entries) - 12} more: get_project_memories(file="{address}"))' if len(entries) > 12 else ""
    return ReviseInstead(
        f"{address} exists (etag {tag}, {len(entries)} entries: {', '.join(e.id for e in entries[:12])}) "
        f"and kind {kind.name} is revised in place; nothing was written.",
        f"Call {' or '.join(filter(None, (calls, add_call)))}.\n{listing}{more}",
        address=address,
        etag=tag,
        ids=[entry.id for entry in entries],
    )
