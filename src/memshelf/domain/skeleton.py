"""The form under which a rejected value is recognised, however it is spelled. Compared and hashed, never shown.

Sources: UTS #39 section 4 (skeletons, here also case-folded), Unicode Standard D146 (compatibility caseless matching).
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

from memshelf.domain.confusables import AMONG_LATIN, LOOKALIKES, SPACING_MARKS

KEY_DIGITS = 24
"""Hex digits of a key: 96 bits."""

_CLASSES = str.maketrans("i1|0", "lllo")
"""What looks alike within ASCII. UTS #39 also takes m for rn and " for two apostrophes; those stay apart here."""
_CONTROLS = {code: None for code in (*range(0x20), 0x7F) if not chr(code).isspace()}
_ASCII = {**_CLASSES, **_CONTROLS, ord("`"): None}
_EARLY = {ord(c): t for t, chars in SPACING_MARKS.items() for c in chars}
_AMONG_LATIN = str.maketrans(AMONG_LATIN)
_TOKEN = re.compile(r"[\w\u0300-\u036f]*[\u03bd\u03c5\u039d\u03a5][\w\u0300-\u036f]*")
_LATIN = re.compile(r"[A-Za-z0-9]")
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
"""The general combining marks; those of one script are part of its spelling."""
_PILED = re.compile(f"[{_MARKS}]{{3,}}")
_LOOSE = re.compile(f"[{_MARKS}]+")
_UNSEEN = frozenset(
    (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x3164, 0xFFA0,
     *range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000))
)  # fmt: skip
"""Default-ignorable code points that are not of category Cf."""
_RUN = re.compile(r"\*+|_+|~~")
_BEFORE = " \t([{\"'*_~"
_AFTER = " \t.,;:!?)]}\"'*_~"
_ENDS = ".!\u3002\u0964 "
_WRAPS = ("***", "**", "~~", "__", "*", "_", '"', "'")


class _Seen(dict[int, str | None]):
    """What each code point, case-folded and NFKD, becomes; worked out when it is first met."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        digit = unicodedata.decimal(char, None) if code > 0x7F else None
        self[code] = found = char if digit is None else str(digit)
        return found


class _Kept(dict[int, str | None]):
    """The code point itself, or None where it shows nothing; worked out when it is first met."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        unseen = code in _UNSEEN or (unicodedata.category(char) in ("Cc", "Cf") and not char.isspace())
        self[code] = found = None if unseen else _EARLY.get(code, " " if code == 0x2800 else char)
        return found


_seen = _Seen({ord(c): t for t, chars in LOOKALIKES.items() for c in chars})
_kept = _Kept()


def key(text: str) -> str:
    """A rejected value's key: the first 24 hex digits of SHA-256 over the skeleton (UTF-8, surrogates passed)."""
    return sha256(skeleton(text).encode("utf-8", "surrogatepass")).hexdigest()[:KEY_DIGITS]


def skeleton(text: str) -> str:
    """One form for every spelling of a text; its own skeleton. Never empty for a text that shows something.

    Gone are: case, width and other compatibility forms, invisible characters, accents that no letter has, white space
    beyond one space, emphasis and code marks around words, full stops and exclamation marks at the end, quotation marks
    around the whole. Look-alikes are one letter, so i = l = 1 = | and o = 0, and no other ASCII letters or digits.
    Words, numbers and punctuation stay. A word all in Greek letters reads its nu as n and its upsilon as y.
    """
    if text.isascii():
        return _plain(text.lower())
    while True:
        once = _plain(_latin(text))
        if once == text or once.isascii():
            return once
        text = once


def _latin(text: str) -> str:
    """The text case-folded, with nothing unseen, each look-alike as the ASCII character, and accents composed."""
    apart = unicodedata.normalize("NFKD", text.translate(_kept))
    apart = _TOKEN.sub(lambda m: m[0].translate(_AMONG_LATIN) if _LATIN.search(m[0]) else m[0], apart)
    apart = unicodedata.normalize("NFKD", apart.casefold()).translate(_seen)
    return _LOOSE.sub("", unicodedata.normalize("NFC", _PILED.sub("", apart)))


def _plain(text: str) -> str:
    """Case-folded text without ASCII differences that do not count."""
    text = " ".join(text.translate(_ASCII).split())
    while True:
        bare = _unwrapped(" ".join(_unmarked(text).split()) or text)
        if bare == text:
            return text
        text = bare


def _unmarked(text: str) -> str:
    """Without pairs of emphasis marks around words; `_` and `__` only around several, since one may be a name."""
    if "*" not in text and "_" not in text and "~~" not in text:
        return text
    open_at: dict[str, re.Match[str]] = {}
    drop: list[tuple[int, int]] = []
    for match in _RUN.finditer(text):
        run, start, end = match[0], match.start(), match.end()
        before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
        if (opened := open_at.get(run)) and before != " " and after in _AFTER:
            if run[0] != "_" or " " in text[opened.end() : start]:
                drop += [opened.span(), (start, end)]
            del open_at[run]
        elif before in _BEFORE and after != " ":
            open_at[run] = match
    for start, end in sorted(drop, reverse=True):
        text = text[:start] + text[end:]
    return text


def _unwrapped(text: str) -> str:
    """Without what ends a sentence and what stands around the whole; never empty."""
    bare = text.rstrip(_ENDS)
    for wrap in _WRAPS:
        inner = bare[len(wrap) : -len(wrap)]
        if inner.strip() and bare.startswith(wrap) and bare.endswith(wrap) and wrap not in inner:
            bare = inner.strip()
            break
    return bare or text
