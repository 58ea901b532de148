"""A statement cut into clauses: its label off, its reasons off, what it rejects and what bounds it apart."""

from __future__ import annotations

from collections.abc import Iterable

from memshelf.gate import lexicon as lex
from memshelf.gate.words import stems, tells


def clauses(tokens: list[str]) -> list[list[str]]:
    """Cut at full stops and semicolons, and at a comma before a verb or a contrast; reasons are cut off."""
    clauses: list[list[str]] = [[]]
    dropped = False
    starts = (
        lex.CHOOSE
        | lex.BOUNDS
        | {"not", "never", "but", "and", "instead", "rather", "y", "et", "sondern", "nicht", "signed"}
    )
    for i, token in enumerate(tokens):
        after = tokens[i + 1] if i + 1 < len(tokens) else ""
        if token in (".", ";"):
            clauses.append([])
            dropped = False
        elif token == ",":
            if after in starts and after not in lex.BOUNDS | {"instead", "rather"}:
                clauses.append([])
                dropped = False
        elif token in lex.REASONS and clauses[-1]:
            dropped = True
        elif not dropped:
            clauses[-1].append(token)
    return [c for c in clauses if c]


def without_label(clause: list[str]) -> list[str]:
    if len(clause) > 2 and clause[1] == ":" and clause[0] in lex.LABELS:
        return clause[2:]
    if clause[:3] == ["we", "decided", "to"]:
        return clause[3:]
    if clause[:2] in (["user", "wants"], ["user", "likes"], ["user", "prefers"]):
        return ["prefer", *clause[2:]]
    if clause[:3] in (["the", "user", "wants"], ["the", "user", "likes"], ["the", "user", "prefers"]):
        return ["prefer", *clause[3:]]
    return clause


def _find(clause: list[str], phrase: tuple[str, ...], start: int) -> int:
    for i in range(start, len(clause) - len(phrase) + 1):
        if tuple(clause[i : i + len(phrase)]) == phrase:
            return i
    return -1


def contrasts(clause: list[str]) -> tuple[list[str], list[tuple[str, ...]], bool]:
    """The clause without what it rejects, what it rejects, and whether that is a thing of the past."""
    for phrase in lex.LEFT:
        if phrase == ("no", "longer"):
            continue
        at = _find(clause, phrase, 0)
        if at < 0:
            continue
        before = [w for w in clause[:at] if tells(w)]
        after = clause[at + len(phrase) :]
        if phrase[-1] in ("from", "off"):
            gone = after[: next((i for i, w in enumerate(after) if w in ("to", "onto", "into", "nach")), len(after))]
            return [*clause[:at], "use", *after[len(gone) + 1 :]], [stems(gone)], True
        return after, [stems(before)], True
    for phrase in lex.CONTRASTS:
        at = _find(clause, phrase, 2)
        if at >= 2 and not (phrase == ("over",) and clause[0] not in ("prefer", "choose", "pick")):
            if phrase in (("not",), ("never",), ("no",), ("nicht",)) and (
                clause[at - 1] in lex.BE | lex.MODALS | {"ne"} or verbs(clause[:at]) < 1 or verbs(clause[at + 1 :])
            ):
                continue
            end = next(
                (
                    i
                    for i in range(at + len(phrase), len(clause))
                    if clause[i] in lex.SCOPES or clause[i] in lex.PLACES - {"of"}
                ),
                None,
            )
            gone = clause[at + len(phrase) : end]
            rest = clause[end:] if end is not None else []
            return [*clause[:at], *rest], [stems(gone)], False
    return clause, [], False


def verbs(clause: Iterable[str]) -> int:
    return sum(w in lex.BE or w in lex.STATE or w in lex.CHOOSE or w in lex.MANY_VERBS or w in lex.ACTS for w in clause)


def bounded(clause: list[str]) -> tuple[list[str], tuple[str, ...]]:
    for i, word in enumerate(clause):
        if i and word in lex.BOUNDS:
            return clause[:i], tuple(clause[i:])
        if i and clause[i : i + 3] == ["as", "long", "as"]:
            return clause[:i], tuple(clause[i:])
    return clause, ()
