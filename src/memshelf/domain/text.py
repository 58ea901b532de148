"""What text may look like when it enters the store and when it leaves it. Knows nothing of entries or files."""

from __future__ import annotations

import re
import unicodedata

from memshelf.errors import BadRequest, CapReached, EmptyText

MAX_CHARACTERS = 16_000
"""Longest text of one entry, in characters; longer texts are documents, not memories."""

_JOINERS = {"\u200c", "\u200d"}
_JOINER_SCRIPTS = re.compile("[\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\U00011000-\U000115ff]")
_EMOJI_PART = re.compile("[\u2190-\u2bff\u3030-\u329f\ufe0f\U0001f000-\U0001faff]")
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e007f]"
)
_ARABIC_SIGNS = re.compile("[\u0600-\u0605\u06dd\u070f\u08e2]")
_SPACES = re.compile(r"\s+")


def clean(text: str, what: str = "text") -> tuple[str, int]:
    """Text as it may be written, and how many invisible characters were taken out.

    NFC, line ends as LF, no control or format characters (tab stays; ZWJ and ZWNJ stay where a script or an emoji
    needs them), no blank lines at either end, no spaces at line ends before a blank line.

    Raises:
        EmptyText: nothing visible is left.
        CapReached: longer than MAX_CHARACTERS.
    """
    lined = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    normal = unicodedata.normalize("NFC", lined)
    kept = _without_invisible(normal) if _SUSPECT.search(normal) else normal
    removed = len(normal) - len(kept)
    lines = [line if line.strip() else "" for line in kept.split("\n")]
    body = "\n".join(lines).strip("\n").strip()
    if not body:
        raise EmptyText(f"'{what}' holds nothing to remember.", f"Pass one statement as '{what}'.")
    if len(body) > MAX_CHARACTERS:
        raise CapReached(
            f"'{what}' has {len(body):,} characters; one entry holds at most {MAX_CHARACTERS:,}.",
            "Split it into single statements, or keep the document in the repository and remember where it is.",
        )
    return body, removed


def clean_line(text: str, what: str) -> str:
    """A one-line value (a title, a tag, a source): cleaned, inner white space collapsed.

    Raises:
        EmptyText: nothing visible is left.
    """
    return _SPACES.sub(" ", clean(text, what)[0]).strip()


def _without_invisible(text: str) -> str:
    out: list[str] = []
    for i, char in enumerate(text):
        if not _SUSPECT.match(char):
            out.append(char)
        elif char in _JOINERS:
            before = text[i - 1] if i else ""
            after = text[i + 1] if i + 1 < len(text) else ""
            if (_JOINER_SCRIPTS.match(before or "x") and _JOINER_SCRIPTS.match(after or "x")) or (
                _EMOJI_PART.match(before or "x") and _EMOJI_PART.match(after or "x")
            ):
                out.append(char)
        elif _ARABIC_SIGNS.match(char):
            out.append(char)
    return "".join(out)


def shown(text: str) -> str:
    """Text as it may be shown: control, bidi and zero-width characters and broken bytes become U+FFFD; tab and LF stay."""
    if not _SUSPECT.search(text):
        return text
    safe = _without_invisible(text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(safe) == len(text):
        return safe
    return "".join(
        char if not _SUSPECT.match(char) or _ARABIC_SIGNS.match(char) or char in _JOINERS else "\ufffd"
        for char in text.replace("\r\n", "\n").replace("\r", "\n")
        if char not in _JOINERS or char in safe
    )


def folded(text: str) -> str:
    """The form in which two texts are compared: NFKC, case-folded, white space collapsed.

    Source: Unicode Standard Annex 15 (normalisation) and Standard section 3.13 (caseless matching).
    """
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def require_single_line(value: str, what: str) -> str:
    """The value, stripped.

    Raises:
        BadRequest: it spans lines.
    """
    if "\n" in value.strip():
        raise BadRequest(f"'{what}' spans several lines.", f"Pass '{what}' as one line.")
    return value.strip()
