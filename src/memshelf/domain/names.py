"""What a name looks like in a path: slugs, and the characters that never get into one. Knows no kinds and no files."""

from __future__ import annotations

import re
import unicodedata

from memshelf.errors import BadName

MAX_CHARACTERS = 80
MAX_BYTES = 200
"""Longest slug, in characters and in UTF-8; with a number, a date and `.md` it fits every file system's 255."""

SEPARATORS = "/\\\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f8\u29f9\ufe68\uff0f\uff3c"
"""The path separators and what looks like one."""

_SEPARATOR = re.compile(f"[{re.escape(SEPARATORS)}]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control and bidi characters, line separators, and bytes that are no Unicode."""
_INVISIBLE = re.compile(
    "[\xad\u034f\u0600-\u0605\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065"
    "\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_DRIVE = re.compile(r"\s*[A-Za-z]:")
_DEVICE = re.compile(r"con|prn|aux|nul|conin\$?|conout\$?|(?:com|lpt)[1-9¹²³]")
_SPELLED = ((re.compile(r"(?<=\w)\+\+(?!\w)"), "plusplus"), (re.compile(r"(?<=\w)#(?!\w)"), "sharp"))
"""C, C++ and C# are three names."""


def slug(text: str, what: str = "name") -> str:
    """The text as a part of a path: letters, marks and numbers in NFC and folded case, the rest as single hyphens.

    A slug is its own slug. `what` is the argument that an error speaks of.

    Raises:
        BadName: empty, leads elsewhere, names a Windows device, or is too long; the remedy has a good one.
    """
    if not text.strip():
        raise BadName(f"'{what}' is empty.", f"Pass a short topic as '{what}', such as 'release-process'.")
    trouble = _escape(text)
    made = _slugged(text)
    if not trouble and not made:
        trouble = "holds neither a letter nor a digit"
    if not trouble and is_device(made):
        trouble = "is the name of a device on Windows"
    if not trouble and (len(made) > MAX_CHARACTERS or len(made.encode()) > MAX_BYTES):
        trouble = (
            f"makes a name of {len(made)} characters and {len(made.encode())} bytes; "
            f"at most {MAX_CHARACTERS} and {MAX_BYTES} fit"
        )
    if trouble:
        raise BadName(f"'{what}' {quoted(text)} {trouble}.", f"Pass {what}={_safe(made)!r}, or another one like it.")
    return made


def same(a: str, b: str) -> bool:
    """Whether two names, or the stems of two files, are one name: they are equal or slug alike."""
    return a == b or _slugged(a) == _slugged(b) != ""


def forbidden(text: str) -> str:
    """What no part of a path may hold (control, bidi, separator-like characters), as a clause for an error."""
    if found := _CONTROL.search(text):
        return f"holds the control character U+{ord(found[0]):04X}"
    if found := _SEPARATOR.search(text):
        return f"holds {found[0]!r} (U+{ord(found[0]):04X}), which separates folders or looks as if it did"
    return ""


def is_device(part: str) -> bool:
    """Whether Windows takes a part of a path for a device; what follows a dot does not help."""
    return bool(_DEVICE.fullmatch(part.partition(".")[0].strip().casefold()))


def visible(text: str) -> str:
    """The text without what takes no room: joiners, zero-width and variation characters, fillers."""
    return _INVISIBLE.sub("", text)


def quoted(text: str) -> str:
    """A caller's text as an error shows it: on one line, nothing invisible, at most 60 characters."""
    short = text if len(text) <= 60 else text[:60] + "…"
    return repr(short) if short.isprintable() else ascii(short)


def _escape(text: str) -> str:
    if trouble := forbidden(text):
        return trouble
    if text.strip() == "." or text.lstrip().startswith(".."):
        return "begins as a path out of the folder does"
    return "begins with a drive letter" if _DRIVE.match(text) else ""


def _slugged(text: str) -> str:
    text = unicodedata.normalize("NFD", visible(text).strip().removesuffix(".md"))
    for sign, word in _SPELLED:
        text = sign.sub(word, text)
    # Unicode, section 3.13, D145: fold the decomposed form, so that what is canonically equal stays so
    folded = unicodedata.normalize("NFC", text.casefold())
    words: list[str] = [""]
    for char in folded:
        category = unicodedata.category(char)[0]
        if category in "LN" or (category == "M" and words[-1]):
            words[-1] += char
        elif words[-1]:
            words.append("")
    return "-".join(filter(None, words))


def _safe(made: str) -> str:
    words = made[:MAX_CHARACTERS].encode()[:MAX_BYTES].decode(errors="ignore")
    if words != made and "-" in words:
        words = words.rpartition("-")[0]
    if not words or is_device(words):
        words = f"{words}-notes".lstrip("-")
    return words
