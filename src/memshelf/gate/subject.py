"""A statement taken apart: what it is about, what it says of it, and whether it says yes or no.

The reading is shallow on purpose: the tables of `lexicon` and the order of words, no grammar and no model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from memshelf.domain.text import folded
from memshelf.gate import lexicon as lex
from memshelf.gate.clauses import bounded, clauses, contrasts, verbs, without_label
from memshelf.gate.words import CJK, STOPS, kind_of, stem, stems, tells, tokens_of, with_states

MAX_TOKENS = 60
"""Longer texts are documents: their parts are not compared."""

_SILENT = re.compile(
    "[\u0370-\u1dbf\u1f00-\u1fff\u2c80-\u2dff\uac00-\ud7ff\ua000-\ua4cf]|ない|ません|ずに|なし|[{}]|[<>=]="
)
_PART = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """One text as slots; every word is folded and stemmed, names and numbers are whole."""

    heads: tuple[str, ...]
    content: tuple[str, ...]
    """Telling words in the order they stand, antonyms as their positive word."""
    positive: bool
    subject: frozenset[str]
    """What stands before the verb, or the object of a verb of action."""
    verb: str
    """Lemma or class of the verb; empty where none is known."""
    place: str
    """The preposition between the verb and its value."""
    kind: str
    """be, state, many, own, choose, act, or empty."""
    value: tuple[str, ...]
    quality: bool
    """Whether the value describes (`protected`, `configurable`, `too short`) and names nothing."""
    scope: frozenset[str]
    """What it holds for."""
    bound: tuple[str, ...]
    """A limit on the whole: until, unless, except, only."""
    rejected: tuple[tuple[str, ...], ...]
    """What is named as not chosen, or as no longer in use."""
    leaves: bool
    """`rejected` is a thing of the past: replaced, moved from, no longer."""
    adds: bool
    """Says that it stands beside others."""
    silent: bool
    """Tells of one moment, or in a language whose negation is not known, or is a document."""


def head_terms(text: str) -> tuple[str, ...]:
    """The terms of a text's subject, most telling first: names, then what stands before the verb, then the rest.

    Each stands literally in `folded(text)`; names come whole and in parts, CJK in pairs of characters. A text of
    nothing but function words has those.
    """
    tokens = list(tokens_of(folded(text)))
    return _heads(tokens)


def read(text: str) -> Statement:
    """The statement of a folded text; its first clause decides, later ones only reject."""
    tokens = list(tokens_of(text))
    heads = _heads(tokens)
    tokens = with_states(tokens)
    silent = len(tokens) > MAX_TOKENS or _SILENT.search(text) is not None
    if silent:
        return Statement(heads, (), True, frozenset(), "", "", "", (), False, frozenset(), (), (), False, False, True)
    parts = clauses(tokens)
    first = without_label(parts[0]) if parts else []
    rejected, leaves = [], False
    first, more, left = contrasts(first)
    rejected += more
    leaves = left
    for clause in parts[1:]:
        if clause and clause[0] in ("not", "never", "nicht", "no"):
            rejected.append(stems(clause[1:]))
    main, bound = bounded(first)
    signed, positive = _polarity(main)
    while signed and signed[0] in ("do", "please"):  # before an imperative
        signed = signed[1:]
    subject, verb, place, kind, value, scope = _slots(signed)
    turns = _turning(signed, {*subject, *scope} if kind else {*signed[:-1]})
    positive = positive is (sum(turns) % 2 == 0)
    words = {*tokens}
    return Statement(
        heads=heads,
        content=tuple(
            _canonical(w) if turn else stem(lex.SAME_WORDS.get(w, w))
            for w, turn in zip(signed, turns, strict=True)
            if tells(w)
        ),
        positive=positive,
        subject=frozenset(stems(subject)),
        verb=verb,
        place=place,
        kind=kind,
        value=stems(value) or tuple(value[:1]),
        quality=any(w in lex.QUALITIES or w.endswith(lex.QUALITY_ENDS) for w in value),
        scope=frozenset(stems(scope)),
        bound=stems(bound),
        rejected=tuple(r for r in rejected if r),
        leaves=leaves,
        adds=not words.isdisjoint(lex.ADDITIONS),
        silent=not words.isdisjoint(lex.UNKNOWN_TONGUES)
        or (kind not in ("act", "choose") and not leaves and not words.isdisjoint(lex.EVENTS)),
    )


def _polarity(clause: list[str]) -> tuple[list[str], bool]:
    """The clause without its negators, and whether it says yes."""
    positive, out = True, []
    aside = next((i for i, w in enumerate(clause) if i and w in lex.ASIDES and verbs(clause[:i])), len(clause))
    i = 0
    while i < len(clause):
        word = clause[i]
        if i > aside and word in lex.NEGATORS:
            out.append("¬")
        elif word == "no" and clause[i + 1 : i + 2] == ["longer"]:
            positive = not positive
            i += 1
        elif word in lex.NEGATORS:
            if not (word == "pas" and "ne" in clause[:i]):
                positive = not positive
            if word in ("avoid", "vermeide", "éviter", "evita", "évite"):
                out.append("use")
        elif word == "longer" or word in lex.ASSERTERS:
            pass
        else:
            out.append(word)
        i += 1
    return out, positive


@cache
def _antonyms() -> dict[str, str]:
    return {no: yes for yes, no in lex.ANTONYMS}


def _turning(clause: list[str], fixed: set[str]) -> list[bool]:
    """For each word whether it says the opposite of another; `fixed` words (subject and scope) only name."""
    return [w not in fixed and lex.SAME_WORDS.get(w, w) in _antonyms() for w in clause]


def _canonical(word: str) -> str:
    word = lex.SAME_WORDS.get(word, word)
    return stem(_antonyms().get(word, word))


def _slots(clause: list[str]) -> tuple[list[str], str, str, str, list[str], list[str]]:
    """Subject, verb, preposition, kind of verb, value, scope."""
    at, kind = _verb(clause)
    if at < 0:
        return clause, "", "", "", [], []
    before, after = clause[:at], clause[at + 1 :]
    verb = "be" if kind == "be" else stem(clause[at])
    if kind == "own":
        return after, verb, "", kind, before, []
    if kind == "act":
        return _action(verb, after)
    scope: list[str] = []
    if kind == "be":
        participle = next((w for w in after[:2] if w.endswith("ed") or w in lex.PARTICIPLES), "")
        place = next((i for i, w in enumerate(after[:4]) if w in lex.PLACES), -1)
        if participle and (place > after.index(participle) or participle in ("called", "named")):
            skip = after.index(participle)
            verb, after = stem(participle), after[skip + 1 :]
            kind = "many" if participle in lex.SHARED else "state"
        elif len(after) > 1 and after[0] in lex.PLACES:
            kind = "state"
        elif after and after[0] in lex.MANY_VERBS:
            kind, verb, after = "many", after[0], after[1:]
    preposition = ""
    if len(after) > 1 and after[0] in lex.PLACES:
        preposition, after = after[0], after[1:]
    value, scope = _value_and_scope(after)
    if kind == "be" and before and _is_role(value):
        return value, verb, "", kind, before, scope
    return before, verb, preposition, kind, value, scope


def _verb(clause: list[str]) -> tuple[int, str]:
    """Where the verb stands (-1: nowhere) and its kind."""
    if not clause:
        return -1, ""
    if clause[0] in lex.CHOOSE:
        return 0, "choose"
    if clause[0] in lex.MANY_VERBS and clause[0].endswith("s"):
        return 0, "many"
    if (
        clause[0] in ("we", "wir", "nous", "i")
        and len(clause) > 1
        and tells(clause[1])
        and clause[1] not in lex.MANY_VERBS
    ):
        return 1, "state"
    if clause[0] in lex.ACTS and len(clause) > 1 and clause[1] in lex.FILLERS | lex.PLACES:
        return 0, "act"
    for i, word in enumerate(clause):
        if i and word in lex.SCOPES:
            break
        if not i or clause[i - 1] in ("to", "the", "a", "of") or (word == ":" and i > 4):
            continue
        if word not in lex.BE and clause[i + 1 : i + 2] and clause[i + 1] in lex.BE - {":"}:
            continue
        if word in lex.OWN and not lex.BE.isdisjoint(clause[i + 1 :]):
            continue
        for kind, table in (("be", lex.BE), ("many", lex.MANY_VERBS), ("own", lex.OWN), ("state", lex.STATE)):
            if word in table:
                return i, kind
    for i, word in enumerate(clause):
        if word in ("es", "est") or (word in lex.BE and i and word != ":"):
            return i, "be"
    return (0, "act") if clause[0] in lex.ACTS else (-1, "")


def _is_role(value: list[str]) -> bool:
    """Whether a predicate names a role: `the minimum version`."""
    return not lex.SUPERLATIVES.isdisjoint(lex.SAME_WORDS.get(w, w) for w in value) and not lex.ROLES.isdisjoint(value)


def _value_and_scope(words: list[str]) -> tuple[list[str], list[str]]:
    """Cut at the first word that begins a scope; a comma-free run of `of`, `and` stays in the value."""
    for i, word in enumerate(words):
        if word == "for" and kind_of(words[i + 1] if i + 1 < len(words) else "") == "number":
            continue
        if i and (word in lex.SCOPES or (word in lex.PLACES and word not in ("with", "by"))):
            return words[:i], words[i:]
    return words, []


def _action(verb: str, after: list[str]) -> tuple[list[str], str, str, str, list[str], list[str]]:
    """A verb of action: its object is the subject, its value stands after a preposition or is the first number."""
    place = next((i for i, w in enumerate(after) if w in lex.PLACES), len(after))
    scope_at = next((i for i, w in enumerate(after) if w in lex.SCOPES), len(after))
    number = next((i for i, w in enumerate(after) if kind_of(w) in ("number", "version")), len(after))
    at = min(place, number)
    if at >= scope_at:
        return after[:scope_at], verb, "", "act", [], after[scope_at:]
    value, scope = _value_and_scope(after[at:] if number < place else after[at + 1 :])
    return after[:at], verb, after[at] if place <= number and at < len(after) else "", "act", value, scope


def _heads(tokens: list[str]) -> tuple[str, ...]:
    names: list[str] = []
    early: list[str] = []
    late: list[str] = []
    seen_verb = False
    for i, token in enumerate(tokens):
        if token in lex.BE or (i and token in lex.STATE):
            seen_verb = True
        if not tells(token) or token in lex.LABELS:
            continue
        if CJK.search(token):
            (late if seen_verb else early).extend(token[i : i + 2] for i in range(max(1, len(token) - 1)))
        elif kind_of(token) in ("path", "name"):
            names.append(token)
            late.extend(stem(p) for p in _PART.findall(token) if len(p) > 2)
        else:
            (late if seen_verb else early).append(stem(token))
    found = dict.fromkeys((*names, *sorted(early, key=len, reverse=True), *late))
    return tuple(found) or tuple(dict.fromkeys(t for t in tokens if t not in STOPS))
