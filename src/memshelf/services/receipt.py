"""What a change answers: what was done, where, and why it passed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Receipt:
    """op: added, revised, retracted, registered or noop; etags are "" where there was or is no file."""

    op: str
    id: str
    address: str
    kind: str
    drawer: str
    file: str
    etag_before: str
    etag_after: str
    reasons: list[str] = field(default_factory=list)
    """Why it passed, and what else happened (a store was created, invisible characters were taken out)."""
    unreached: list[str] = field(default_factory=list)
    """What the operation could not reach."""

    def plain(self) -> dict[str, Any]:
        return asdict(self)
