"""Search by reading every file in scope: term matching with a simple, stable rank. Writes nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from memshelf.domain.decay import days_between, effective_confidence, recency
from memshelf.domain.entry import REJECTED, Entry, instant
from memshelf.domain.kinds import load
from memshelf.domain.text import folded
from memshelf.domain.timeline import View, believed
from memshelf.store.store import Read, Store, Trouble

INCLUDES = ("staging", "archived", "superseded", "rejected")
_COLD = ("archived", "retracted", "expired")
_SEPARATORS = str.maketrans("/-_", "   ")
EXACT = "\0id"
"""Stands among an entry's terms where the query is its id or address."""
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?", re.U)
_WIDE = re.compile(
    "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTIFIER = re.compile(r"[\w./:#@+-]*[\w]")
STOP = frozenset(
    """
    a an and are as at be by can do does for from had has have how i if in into is it its me my of on or our so
    that the their them then there these they this to was we were what when where which who why will with you
    your
    """.split()  # noqa: SIM905 a list of a hundred strings reads worse
)


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for; all strings as the caller gave them."""

    words: str
    also: tuple[str, ...] = ()
    """Words that a stored note might use instead."""
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    applies: str = ""
    include: tuple[str, ...] = ()
    limit: int = 10


@dataclass(frozen=True, slots=True)
class Truth:
    """What decides whether an entry is recalled, besides its own words."""

    now: datetime
    view: View | None = None
    """Ask the past: what was recorded then about what held then; the archive is read too."""
    bounds: Mapping[str, str] = field(default_factory=dict)
    """For a superseded id: from when on its successor holds, where that says so."""
    rejected: Callable[[Entry], bool] = lambda _: False
    """Whether an entry says a value that was rejected."""


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that answers, with where it stands and how well it matched (0..about 2)."""

    store: Store
    read: Read
    entry: Entry
    state: str
    score: float
    arms: tuple[str, ...]
    file_id: str = ""


@dataclass(slots=True)
class Answer:
    """Matches best first, how many more there were, and what could not be read."""

    matches: list[Match] = field(default_factory=list)
    dropped: int = 0
    trouble: list[Trouble] = field(default_factory=list)


class Found(NamedTuple):
    """An entry that holds a term, before it is ranked: each term with how well."""

    store: Store
    read: Read
    entry: Entry
    state: str
    hits: dict[str, float]

    @property
    def live(self) -> bool:
        return "end" not in self.entry.attributes


@dataclass(frozen=True, slots=True)
class Terms:
    """A query as what is looked for."""

    phrase: str
    own: tuple[str, ...]
    also: tuple[str, ...]
    stems: dict[str, str]
    """Each term without an English ending, "" where it has none."""


def terms(query: Query) -> Terms:
    """The query's words without stop words (unless it has no others), identifiers whole and in parts, and runs of
    scripts without spaces as pairs of characters."""
    own = _split(query.words)
    also = [word for text in query.also for word in _split(text) if word not in own]
    stems = {term: _stem(term) for term in (*own, *also)}
    return Terms(folded(query.words), tuple(own), tuple(dict.fromkeys(also)), stems)


def _split(text: str) -> list[str]:
    out: dict[str, None] = {}
    for run in text.split():
        whole = folded(run).strip(".,;:!?()[]{}<>\"'`*")
        parts = _WORDS.findall(run)
        if len(parts) > 1 and _IDENTIFIER.fullmatch(whole):
            out[whole] = None
        for part in parts:
            plain = folded(part)
            if _WIDE.search(plain):
                for wide in _WIDE.findall(plain):
                    pairs = [wide[i : i + 2] for i in range(len(wide) - 1)] or [wide]
                    out.update(dict.fromkeys(pairs))
                plain = _WIDE.sub("", plain)
            if plain:
                out[plain] = None
            camel = _CAMEL.findall(part)
            if len(camel) > 1:
                out.update((folded(piece), None) for piece in camel if len(piece) > 1)
        if not parts and whole:
            out[whole] = None
    content = [word for word in out if word not in STOP]
    return content or list(out)


def scan(stores: Sequence[Store], query: Query, truth: Truth) -> Answer:
    """Every entry in the stores that holds at least one term, ranked; earlier stores win ties."""
    wanted, named = terms(query), query.words.strip().rpartition("#")[2]
    answer = Answer()
    found: list[Found] = []
    replaced: set[str] = set()
    total, frequency = 0, dict.fromkeys((*wanted.own, *wanted.also), 0)
    past = bool({"archived", "superseded", "rejected"} & set(query.include)) or truth.view is not None
    for store in stores:
        for archived in (False, True) if past else (False,):
            for read in store.every(answer.trouble, archived=archived):
                if not archived:
                    replaced.update(s for e in read.document.entries if (s := e.attributes.get("sup", "")))
                if not _kind_wanted(read, query):
                    continue
                title = read.document.title
                context = folded(f"{read.place.path.removesuffix('.md').translate(_SEPARATORS)} {title}")
                for text, entry in zip(read.document.folds, read.document.entries, strict=True):
                    total += 1
                    hits = {EXACT: 1.0} if entry.id == named else _hits(entry, text, title, context, wanted)
                    if hits and _narrowed(entry, query):
                        found.append(Found(store, read, entry, entry.state(truth.now), hits))
                        for term in hits:
                            frequency[term] = frequency.get(term, 0) + 1
    found = [kept for one in found if (kept := _true(one, query, truth, replaced))]
    weights = {
        term: (1.0 if term in wanted.own else 0.5) * math.log(1 + (total - n + 0.5) / (n + 0.5))
        for term, n in frequency.items()
    }
    ranked = _ranked(found, wanted, weights, list(stores), truth.now)
    ranked.sort(key=lambda match: match.arms != ("id",))
    answer.matches, answer.dropped = _shared(ranked, query.limit)
    return answer


def _true(one: Found, query: Query, truth: Truth, replaced: set[str]) -> Found | None:
    """The find with its state, or None where it is not to be recalled. An entry that a live one replaces is superseded,
    though a crash kept it from the archive."""
    entry, state = one.entry, one.state
    if state in ("active", "conflicted") and entry.id in replaced:
        state = "superseded"
    if entry.trust == "candidate" and "staging" not in query.include:
        return None
    if truth.view is not None:
        bound = instant(truth.bounds.get(entry.id, "")) if entry.attributes.get("by") != entry.id else None
        return one._replace(state=state) if believed(entry.attributes, truth.view, bound) else None
    if entry.trust == REJECTED or (one.live and one.read.place.kind != REJECTED and truth.rejected(entry)):
        return one._replace(state="rejected" if one.live else state) if "rejected" in query.include else None
    if state not in ("active", "conflicted") and ("archived" if state in _COLD else state) not in query.include:
        return None
    return one._replace(state=state)


def _kind_wanted(read: Read, query: Query) -> bool:
    kind = load()[read.place.kind]
    if query.kinds and kind.name not in query.kinds:
        return False
    return kind.in_search or kind.name in query.include or kind.name in query.kinds


def _narrowed(entry: Entry, query: Query) -> bool:
    if query.tags and not set(query.tags) <= set(entry.tags):
        return False
    return not (query.applies and entry.attributes.get("applies", "") not in ("", query.applies))


def _hits(entry: Entry, text: str, title: str, context: str, wanted: Terms) -> dict[str, float]:
    """Each term that the entry holds, with how well: 1 a whole word of its text, .7 an alias or tag, .6 part of a word,
    .4 in a heading or the path."""
    attributes = entry.attributes
    aliases = folded(" ".join((*entry.aliases, *entry.tags))) if "aka" in attributes or "tags" in attributes else ""
    above = context if entry.headings in ((), (title,)) else f"{context} {folded(' '.join(entry.headings))}"
    out: dict[str, float] = {}
    for term in (*wanted.own, *wanted.also):
        if term in text:
            out[term] = 1.0 if _whole(term, text) else 0.6 if len(term) > 2 or not term.isascii() else 0.0
        elif term in aliases:
            out[term] = 0.7
        elif entry.grain != "file" and term in above and _whole(term, above):
            out[term] = 0.4
        elif (stem := wanted.stems[term]) and stem in text:
            out[term] = 0.6
        if out.get(term) == 0.0:
            del out[term]
    if out and all(weight == 0.4 for weight in out.values()) and len(out) < len(wanted.own):
        return {}
    return out


def _stem(term: str) -> str:
    for ending in ("ies", "ing", "ed", "es", "s"):
        if term.isascii() and term.endswith(ending) and len(term) - len(ending) >= 3:
            return term[: -len(ending)]
    return ""


def _whole(term: str, text: str) -> bool:
    at = text.find(term)
    while at >= 0:
        end = at + len(term)
        if not (at and text[at - 1].isalnum() and term[0].isalnum() and term[0].isascii()) and not (
            end < len(text) and text[end].isalnum() and term[-1].isalnum() and term[-1].isascii()
        ):
            return True
        at = text.find(term, at + 1)
    return False


def _ranked(
    found: list[Found],
    wanted: Terms,
    weights: dict[str, float],
    stores: list[Store],
    now: datetime,
) -> list[Match]:
    top = sum(weights[term] for term in wanted.own) or 1.0
    matches: list[Match] = []
    best_in_file: dict[tuple[int, str], bool] = {}
    for store, read, entry, state, hits in found:
        score = sum(weights[term] * share for term, share in hits.items()) / top
        score += 0.2 * sum(term in hits for term in wanted.own) / max(1, len(wanted.own))
        if len(wanted.own) > 1 and wanted.phrase and wanted.phrase in folded(entry.text):
            score += 0.5
        score *= 0.9 + 0.1 * effective_confidence(entry, load()[read.place.kind], now)
        if (at := instant(entry.attributes.get("at", ""))) is not None:
            score *= 1 + 0.05 * recency(days_between(at, now))
        file_id = _file_id(read)
        if entry.grain != "file":
            best_in_file[(id(store), read.place.path)] = True
        matches.append(
            Match(store, read, entry, state, round(score, 4), ("id",) if EXACT in hits else ("scan",), file_id)
        )
    matches = [m for m in matches if m.entry.grain != "file" or (id(m.store), m.read.place.path) not in best_in_file]
    order = {id(store): i for i, store in enumerate(stores)}
    return sorted(matches, key=lambda m: (-m.score, order[id(m.store)], m.read.place.path, m.entry.line))


def _file_id(read: Read) -> str:
    first = read.document.entries[0] if read.document.entries else None
    return first.id if first is not None and first.grain == "file" else ""


def _shared(ranked: list[Match], limit: int) -> tuple[list[Match], int]:
    """The best `limit`, no file taking more than half of them while another file has a match to show."""
    most = max(1, limit // 2)
    taken: dict[tuple[int, str], int] = {}
    first: list[int] = []
    later: list[int] = []
    for place, match in enumerate(ranked):
        key = (id(match.store), match.read.place.path)
        taken[key] = taken.get(key, 0) + 1
        (first if taken[key] <= most else later).append(place)
    chosen = sorted((first + later)[:limit])
    return [ranked[place] for place in chosen], len(ranked) - len(chosen)
