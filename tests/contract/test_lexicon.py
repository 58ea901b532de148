"""The word lists that the standard publishes are those that decide."""

import re
import tomllib
from pathlib import Path
from typing import Any

from memshelf.gate import lexicon

PUBLISHED = Path(__file__).resolve().parents[2] / "abi" / "lexicon.toml"


def plain(value: Any) -> Any:
    """A list as TOML has it: sets sorted, tables as pairs."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, dict):
        return [list(pair) for pair in value.items()]
    return value if isinstance(value, str) else [plain(part) for part in value]


def test_the_published_lists_are_those_of_the_code() -> None:
    published = tomllib.loads(PUBLISHED.read_text("utf-8"))
    lists = {name: plain(getattr(lexicon, name)) for name in dir(lexicon) if name.isupper()}
    assert len(lists) > 30
    assert published == lists


def test_the_standard_names_no_list_that_is_not_published() -> None:
    text = (PUBLISHED.parent / "TRUST.md").read_text("utf-8").partition("## Same subject, exactly")[2].partition("\n## ")[0]
    named = set(re.findall(r"\b[A-Z][A-Z_]{3,}\b", text))
    assert "NEGATORS" in named
    assert named - {name for name in dir(lexicon) if name.isupper()} <= {"CHANGED", "RESTATED", "DIFFERENT", "EQUAL", "NFKC", "LIST"}
