"""What text may look like when it enters the store and when it leaves it. Knows nothing of entries or files."""

from __future__ import annotations

import re
import unicodedata

from memshelf.errors import BadRequest, CapReached, EmptyText

MAX_CHARACTERS = 16_000
"""Longest text of one entry, in characters; longer texts are documents, not memories."""

_JOINERS = "\u200c\u200d"
_JOINER_SCRIPTS = re.compile("[\u0600-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\U00011000-\U000115ff]")
_EMOJI_PART = re.compile("[\u2190-\u2bff\u3030-\u329f\ufe0f\U0001f000-\U0001faff]")
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_ARABIC_SIGNS = re.compile("[\u0600-\u0605\u06dd\u070f\u08e2]")
_VARIATIONS = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SPACES = re.compile(r"\s+")


def clean(text: str, what: str = "text") -> tuple[str, int]:
    """Text as it may be written, and how many invisible characters were taken out.

    NFC, line ends as LF, no control or format characters (tab stays; joiners and variation selectors stay where a
    script or an emoji needs them), no blank lines at either end, no white space at line ends.

    Raises:
        EmptyText: nothing visible is left.
        CapReached: longer than MAX_CHARACTERS.
    """
    lined = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    normal = unicodedata.normalize("NFC", lined)
    kept = _screened(normal, "")
    removed = len(normal) - len(kept)
    if removed:
        kept = unicodedata.normalize("NFC", kept)  # what stood apart may compose now
    body = "\n".join(line.rstrip() for line in kept.split("\n")).strip()
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


def _screened(text: str, instead: str) -> str:
    """The text with `instead` for each control or format character that nothing visible needs."""
    if not _SUSPECT.search(text):
        return text
    out: list[str] = []
    for i, char in enumerate(text):
        if not _SUSPECT.match(char) or _needed(char, out[-1] if out else "", text[i + 1 : i + 2]):
            out.append(char)
        elif instead:
            out.append(instead)
    return "".join(out)


def _needed(char: str, before: str, after: str) -> bool:
    """Whether a suspect changes how what it stands at looks; `before` is what was kept, `after` what comes."""
    if _ARABIC_SIGNS.match(char):
        return True
    if char in _JOINERS:
        comes = not _SUSPECT.match(after) or _ARABIC_SIGNS.match(after) is not None
        return comes and any(s.match(before) and s.match(after) for s in (_JOINER_SCRIPTS, _EMOJI_PART))
    if not _VARIATIONS.match(char) or not before.strip() or _SUSPECT.match(before):
        return False
    if char >= "\U000e0100":
        return _IDEOGRAPH.match(before) is not None
    if before.isascii():
        return before in "0123456789#*" and char in "\ufe0e\ufe0f"
    letters = _IDEOGRAPH.match(before) or _JOINER_SCRIPTS.match(before)
    return letters is not None or not before.isalpha()


def shown(text: str) -> str:
    """Text as it may be shown: control, bidi, zero-width characters and broken bytes become U+FFFD; tab and LF stay."""
    if not _SUSPECT.search(text):
        return text
    return _screened(text.replace("\r\n", "\n").replace("\r", "\n"), "\ufffd")


def folded(text: str) -> str:
    """The form in which two texts are compared: NFKC, case-folded, white space collapsed; it is its own folded form.

    Source: Unicode Standard section 3.13, D146 (compatibility caseless matching).
    """
    if text.isascii():
        return " ".join(text.lower().split())
    once = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold())
    return " ".join(unicodedata.normalize("NFKC", once.casefold()).split())


def require_single_line(value: str, what: str) -> str:
    """The value, stripped.

    Raises:
        BadRequest: it spans lines.
    """
    if "\n" in value.strip():
        raise BadRequest(f"'{what}' spans several lines.", f"Pass '{what}' as one line.")
    return value.strip()
