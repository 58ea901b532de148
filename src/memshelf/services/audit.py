"""Whether the journals of stores are whole, and what a person should know of them. Reads; writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from memshelf.errors import StoreTrouble
from memshelf.store.store import Store


def verified(stores: Sequence[Store]) -> dict[str, Any]:
    """{lines, broken: [{where, what}]}: how many lines hold; of each file that does not, the first broken one."""
    lines, broken = 0, []
    for store in stores:
        heads: dict[str, tuple[int, str]] = {}
        with suppress(StoreTrouble):
            heads = store.ledger.heads()
        sound, breaks = store.journal.audit(heads)
        lines += sound
        broken += [{"where": f"{store.address(b.file)}:{b.line}", "what": b.what} for b in breaks]
    return {"lines": lines, "broken": broken}
