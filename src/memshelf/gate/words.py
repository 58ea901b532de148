"""A folded text as words: tokens with their kind and a light stem. Knows nothing of statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from memshelf.gate import lexicon as lex

_ELISION = re.compile(r"\b(?:[ldnjcmst]|qu)['’](?=\w)")
_NUMBERED_UNIT = re.compile(r"(\d[\d.,]*)(s|ms|min|h|d|kb|mb|gb|tb|%|m|k|px)")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:[.-]?[a-z]+\d*)?|v\d+")
_DATE = re.compile(r"\d{4}-\d{1,2}(?:-\d{1,2})?|q[1-4]")
_SETTING = re.compile(r"([\w.-]*[^\W\d_][\w.-]*)=([\w.-]+)")
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?")
_PATH = re.compile(r"(?:https?://|~|\.{0,2}/|[\w.@-]+[/\\])\S*|[\w-]*\.[a-z]{2,5}|\S+[\\/]")
_EDGE = "()[]{}<>\"'`“”«»„‘’*。，！？、；：!?"
STOPS = ",;:."
CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "es", "ed", "er", "s", "e", "y")
_BREAK = re.compile(r"(?<=[.!?])\s|[。！？]")


def stem(word: str) -> str:
    """A light stem, always a prefix of the word; names, numbers and words of under five letters stay whole."""
    if len(word) < 4 or not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4 and not word.endswith("ss"):
            return word[: -len(suffix)]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def kind_of(token: str) -> str:
    """What a token is: date, time, version, number, path, name (an identifier) or word."""
    for kind, shape in (("date", _DATE), ("time", _TIME), ("number", _NUMBER), ("version", _VERSION), ("path", _PATH)):
        if shape.fullmatch(token):
            return kind
    if token in _dates():
        return "date"
    if token in lex.COUNTS:
        return "number"
    return "word" if token.isalpha() else "name"


def tokens_of(text: str) -> Iterator[str]:
    """Words of a folded text, with `,` `.` `:` as tokens of their own where they end a clause or follow a key."""
    if CJK.search(text):
        for old, new in lex.CJK:
            text = text.replace(old, new)
        text = _BREAK.sub(" . ", text)
        text = re.sub(
            "(?<=[\u3040-\u30ff\u3400-\u9fff])(?=[a-z0-9])|(?<=[a-z0-9])(?=[\u3040-\u30ff\u3400-\u9fff])", " ", text
        )
    for raw in text.replace("’", "'").replace("—", " , ").replace("–", " , ").split():
        word = raw.strip(_EDGE)
        bare = word.rstrip(STOPS + _EDGE)
        stop = word[len(bare) :].strip(_EDGE)[:1] if bare else word[:1]
        if bare in lex.CONTRACTIONS:
            yield from lex.CONTRACTIONS[bare].split()
        elif unit := _NUMBERED_UNIT.fullmatch(bare):
            yield unit[1].replace(",", "")
            yield lex.SAME_WORDS.get(unit[2], unit[2])
        elif bare:
            elided = _ELISION.sub(lambda m: "ne " if m[0][0] == "n" else "", bare)
            if pair := _SETTING.fullmatch(elided):
                elided = f"{pair[1]} {pair[2]}"
            for part in elided.split():
                yield _plain(part)
        if stop and stop in STOPS:
            yield stop


def with_states(tokens: list[str]) -> list[str]:
    """The tokens with `on`, `off` and `may` read as a state and a month where their neighbours say so."""
    out: list[str] = []
    for i, token in enumerate(tokens):
        after = tokens[i + 1] if i + 1 < len(tokens) else "."
        if (
            token in ("on", "off")
            and out
            and out[-1] in lex.BE
            and after in (".", ",", ";", "by", "in", "for", "during")
        ):
            token = "enabled" if token == "on" else "disabled"
        elif token == "may" and out and out[-1] in ("in", "since", "until", "by", "on"):
            token = "may-month"
        out.append(token)
    return out


def _plain(word: str) -> str:
    word = word.removesuffix("'s").lstrip("'")
    if len(word) > 1 and not word.startswith("http"):
        bare = word.rstrip("/\\")
        word = bare if "/" in bare or "\\" in bare else word
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+", word):
        word = word.replace(",", "")
    return word


def tells(word: str) -> bool:
    """Whether a word is more than grammar."""
    if word in ("off", "s", "d"):  # a state and two units
        return True
    return not (
        word in lex.FILLERS or word in lex.MODALS or word in lex.BE or word in lex.CHOOSE or word in lex.PLACES
        or word in lex.SCOPES or word in lex.OF or word in lex.NEGATORS or word in lex.ASSERTERS or word in STOPS
        or word in lex.BOUNDS or word in ("uses", "user", "longer", "prefers", "likes", "wants", "only")
    )  # fmt: skip


def stems(words: Iterable[str]) -> tuple[str, ...]:
    """The stems of the telling words, in the order they stand."""
    return tuple(
        stem(lex.SAME_WORDS.get(w, w)) for w in words if tells(w) or w in ("only", "until", "unless", "except")
    )


@cache
def _dates() -> frozenset[str]:
    return lex.DATES | {stem(word) for word in lex.DATES}
