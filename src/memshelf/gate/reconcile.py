"""Whether a new statement repeats, changes or stands beside an old one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from memshelf.domain.text import folded
from memshelf.gate import lexicon as lex
from memshelf.gate.subject import Statement, head_terms, read
from memshelf.gate.words import kind_of, stem

__all__ = ["Relation", "head_terms", "nearest", "relation"]

FLOOR = 30.0
"""Least token_set_ratio (0..100, rapidfuzz) of the folded texts for anything but DIFFERENT."""
NEAR = 0.86
"""Least normalised OSA similarity (0..1) at which two words of a subject count as one."""


class Relation(StrEnum):
    """What a new text is to an old one."""

    DIFFERENT = "different"
    EQUAL = "equal"
    RESTATED = "restated"
    CHANGED = "changed"


def relation(old: str, new: str) -> Relation:
    """What `new` is to `old`; never raises."""
    before, after = folded(old), folded(new)
    if before == after:
        return Relation.EQUAL
    from rapidfuzz import fuzz

    if fuzz.token_set_ratio(before, after) < FLOOR:
        return Relation.DIFFERENT
    return _compared(read(before), read(after))


def nearest(new: str, olds: Sequence[str]) -> tuple[int, Relation] | None:
    """Index and relation of the old text that `new` equals or, failing that, most likely changes."""
    from rapidfuzz import fuzz, process

    after = folded(new)
    befores = [folded(old) for old in olds]
    if after in befores:
        return befores.index(after), Relation.EQUAL
    statement = read(after)
    likely = {i: text for i, text in enumerate(befores) if any(head in text for head in statement.heads)}
    ranked = process.extract(after, likely, scorer=fuzz.token_set_ratio, score_cutoff=FLOOR, limit=None)
    for text, _, index in sorted(ranked, key=lambda hit: (-hit[1], hit[2])):
        if _compared(read(text), statement) is Relation.CHANGED:
            return index, Relation.CHANGED
    return None


def _compared(old: Statement, new: Statement) -> Relation:
    if set(old.heads).isdisjoint(new.heads) or old.silent or new.silent or new.adds:
        return Relation.DIFFERENT
    if old.content and _same_words(frozenset(old.content), frozenset(new.content)):
        if not _says(old) or not _says(new):
            return Relation.DIFFERENT
        limited = not (set(old.bound) <= set(new.bound) and old.bound) and not (
            set(new.bound) <= set(old.bound) and new.bound
        )
        limited = limited and old.bound != new.bound and bool(old.kind) and old.verb == new.verb
        turned = old.positive is not new.positive or limited or _swapped(old, new)
        return Relation.CHANGED if turned else Relation.RESTATED
    if _withdrawn(old, new) or _withdrawn(new, old) or _narrowed(old, new) or _replaced(old, new):
        return Relation.CHANGED
    return Relation.DIFFERENT


def _says(statement: Statement) -> bool:
    """Whether there is a statement in it: more than one telling word, or the choice of one; a heading is none."""
    if statement.kind in ("be", "choose") and not statement.value:
        return False
    return len(statement.content) > 1 or statement.kind == "choose"


def _same_words(left: frozenset[str], right: frozenset[str]) -> bool:
    """Equal sets, but for long words that differ by a slip of the pen."""
    if left == right:
        return True
    odd, even = left - right, right - left
    if len(odd) != 1 or len(even) != 1:
        return False
    word, other = *odd, *even
    if not (word.isalpha() and other.isalpha()) or word[0] != other[0]:
        return False
    from rapidfuzz.distance import OSA

    return OSA.normalized_similarity(word, other) >= NEAR


def _swapped(old: Statement, new: Statement) -> bool:
    """Whether the two sides of a `before`, `for` or `over` have changed places."""
    return bool(old.value and new.value) and set(old.value) == new.scope and set(new.value) == old.scope


def _withdrawn(old: Statement, new: Statement) -> bool:
    """Whether `new` rejects what `old` chooses."""
    if not old.positive or not new.positive or old.kind == "many":
        return False
    chosen = set(old.value or old.content)
    for gone in map(set, new.rejected):
        if len(gone) > 1:
            gone -= old.scope
        if not gone or not gone <= chosen <= gone.union(new.value) or gone <= set(new.value):
            continue
        if new.leaves:
            about = old.subject | old.scope
            return not about or not about.isdisjoint((*new.content, *new.subject))
        if old.subject and new.subject and not _same_words(old.subject, new.subject):
            return False
        alike = old.verb == new.verb or (_single(old) and _rivals(old.value, new.value))
        return old.kind != "" and alike and (old.scope <= new.scope or new.scope <= old.scope)
    return False


def _narrowed(old: Statement, new: Statement) -> bool:
    """Whether one says no of a part of what the other says yes of."""
    if old.positive is new.positive or old.bound != new.bound or not old.value or set(old.value) != set(new.value):
        return False
    return _same_words(old.subject, new.subject) and not (old.scope and new.scope and old.scope != new.scope)


def _replaced(old: Statement, new: Statement) -> bool:
    """Whether both fill the same slot of the same subject with values that exclude each other."""
    if old.positive is not new.positive or not old.kind or not new.kind or not old.value or not new.value:
        return False
    if not _same_words(old.subject, new.subject) or not _same_words(old.scope, new.scope):
        return False
    if "own" in (old.kind, new.kind):
        return old.kind == new.kind and old.verb == new.verb and old.positive
    if old.verb != new.verb and not ({old.verb, new.verb} <= _SAME_STATE and "act" not in (old.kind, new.kind)):
        return False
    return _excludes(old, new)


def _excludes(old: Statement, new: Statement) -> bool:
    """Whether the values cannot both be true of the subject."""
    left, right = _apart(old.value, new.value)
    if not left or not right or not _SEVERAL.isdisjoint((*left, *right)):
        return False
    measured = _measured(old.value, new.value)
    if not _LIST_ROLES.isdisjoint(old.subject) and not (measured and _LIMITS & old.subject):
        return False
    if "many" in (old.kind, new.kind):
        return measured and old.verb not in lex.ONE_MANY and _counts(old.value, left)
    if measured:
        return bool(old.subject or old.scope) or len(old.value) > len(left) or (old.kind == "state" and bool(old.place))
    if not old.positive:
        return False  # two things may be forbidden
    if _rivals(old.value, new.value):
        return bool(old.subject or old.scope) or len(left) + len(right) <= 3
    if old.place != new.place and not {old.place, new.place} <= _WITHIN:
        return False
    if len(left) > 3 or len(right) > 3 or not (old.subject or old.scope or old.verb in _ANSWERS):
        return False
    if old.kind == "be" and _only(left, _PATH) and _only(right, _PATH):
        return True
    if _only(left, _NAMES) and _only(right, _NAMES):
        return (
            (old.kind in ("state", "act") and old.verb in _AT)
            or _single(old)
            or (old.kind == "choose" and bool(old.scope))
        )
    if (
        old.quality
        or new.quality
        or old.value[0] == new.value[0]
        or not (_only(left, _NAMING) and _only(right, _NAMING))
    ):
        return False
    return _single(old)


def _single(statement: Statement) -> bool:
    """Whether the slot holds one value at a time, whatever the value is."""
    if statement.kind == "be":
        return not _ROLES.isdisjoint(statement.subject)
    return statement.verb in (_ONE_VALUE if statement.kind == "state" else _ANSWERS)


def _apart(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """What stands in one value alone, in order."""
    return [w for w in old if w not in new], [w for w in new if w not in old]


def _rivals(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    left, right = _apart(old, new)
    return any(not row.isdisjoint(left) and not row.isdisjoint(right) for row in _RIVALS) or any(
        (yes in left and no in right) or (no in left and yes in right) for yes, no in _ANTONYMS
    )


def _only(words: Iterable[str], kinds: frozenset[str]) -> bool:
    found = {kind_of(w) for w in words if w not in lex.UNITS}
    return bool(found) and found <= kinds


def _measured(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    """Whether the values differ in numbers, versions, dates or times of one kind, and in units of one dimension."""
    left, right = _apart(old, new)
    if left and right and lex.UNITS.issuperset((*left, *right)):
        return any(same.issuperset((*left, *right)) for same in _DIMENSIONS) and "number" in map(kind_of, old)
    if not any(_only(left, kinds) and _only(right, kinds) for kinds in _MEASURES):
        return False
    units = [{w for w in words if w in lex.UNITS} for words in (left, right)]
    return units[0] == units[1] or any(units[0] <= same and units[1] <= same for same in _DIMENSIONS)


def _counts(value: tuple[str, ...], apart: list[str]) -> bool:
    """Whether the number counts what follows it, or is a version: not the number of a ticket or a port."""
    number = apart[0]
    return "." in number or kind_of(number) == "version" or (value[0] == number and len(value) > 1)


def _stemmed(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(lex.SAME_WORDS.get(word, word)) for word in words)


_MEASURES = (frozenset({"number", "version"}), frozenset({"time"}), frozenset({"date"}))
_NAMES = frozenset({"path", "name"})
_PATH = frozenset({"path"})
_LIMITS = frozenset({"max", "min-limit"})
_NAMING = frozenset({"word", "name"})
_DIMENSIONS = (frozenset({"ms", "s", "min", "h", "d", "w"}), frozenset({"k", "kb", "mb", "gb", "tb"}))
_WITHIN = frozenset({"in", "at", "under", "inside", ""})
_SAME_STATE = _stemmed(lex.SAME_STATE)
_SEVERAL = _stemmed(lex.SEVERAL)
_ROLES = _stemmed(lex.ROLES)
_LIST_ROLES = _stemmed(lex.LIST_ROLES)
_RIVALS = tuple(_stemmed(row) | row for row in lex.RIVALS)
_ANTONYMS = tuple((stem(yes), stem(no)) for yes, no in lex.ANTONYMS)
_ONE_VALUE = _stemmed(lex.ONE_VALUE)
_ANSWERS = _stemmed(lex.ANSWERS)
_AT = _stemmed(lex.AT)
