"""What a write may not bring into a store: secrets, conversations, and in a project the contact data of people."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from memshelf.domain.kinds import STORES
from memshelf.errors import BadRequest, SecretFound, TranscriptFound
from memshelf.gate import scanner, secrets
from memshelf.gate.contact import RULES as CONTACT_RULES
from memshelf.gate.contact import contacts
from memshelf.gate.secrets import Finding
from memshelf.gate.transcript import transcript

_SCANNER_RULE = re.compile(re.escape(scanner.PREFIX) + r"[\w.-]{1,80}")
_KEEP_ELSEWHERE = "Keep it in the environment or in a secret manager and remember where it is, not what it is."


def screen(
    fields: Mapping[str, str], store: str, allow: Collection[str] = (), free_text: Collection[str] = ("text",)
) -> None:
    """Passes what may be written; `fields` maps each argument's name to its value, `store` is `user` or `project`.

    `allow` names rules of tier 2 that the caller has looked at: secrets in a user store, contact data in a project.
    Nothing that is raised holds a value or a part of one.

    Raises:
        BadRequest: `store` is neither, or `allow` names no rule.
        SecretFound: a field holds a secret, or in a project contact data.
        TranscriptFound: a field of `free_text` is a conversation or a log.
    """
    if store not in STORES:
        raise BadRequest(f"'store' {store[:20]!r} is neither 'user' nor 'project'.", "Pass one of the two.")
    _check_names(allow)
    for argument, value in fields.items():
        if not value:
            continue
        found = _secrets(value)
        blocked = [f for f in found if f.tier == 1 or store == "project" or f.rule not in allow]
        if blocked:
            raise _refusal(argument, value, blocked, _secret_remedy(blocked, store))
        if store == "project" and (personal := [f for f in contacts(value) if f.rule not in allow]):
            raise _refusal(argument, value, personal, _contact_remedy(personal))
        if argument in free_text and (why := transcript(value)):
            raise TranscriptFound(
                f"'{argument}' looks like {why}, not like something to remember.",
                "Say in single statements what is to be kept of it, one add each; name where it is from as 'source'.",
                argument=argument,
            )


def rule_names() -> tuple[str, ...]:
    """Every rule that `allow` may name, apart from those of the optional scanner."""
    return (*secrets.rules(), *CONTACT_RULES)


def _check_names(allow: Collection[str]) -> None:
    known = set(rule_names())
    for number, name in enumerate(allow, 1):
        if name not in known and not _SCANNER_RULE.fullmatch(name):  # not shown: it may be the secret itself
            listing = ", ".join(rule_names())
            raise BadRequest(f"Name {number} in 'allow' is no rule.", f"Pass the name of a rule in 'allow': {listing}.")


def _secrets(text: str) -> list[Finding]:
    """Those of the own rules and, where the scanner is there, what only it finds."""
    own = secrets.findings(text)
    more = [f for f in scanner.findings(text) if not any(o.start < f.end and f.start < o.end for o in own)]
    return [*own, *more]


def _secret_remedy(blocked: list[Finding], store: str) -> str:
    if store == "project":
        return f"{_KEEP_ELSEWHERE} In a project's memory, which others read, nothing overrides this."
    if any(f.tier == 1 for f in blocked):
        return _KEEP_ELSEWHERE
    return f"{_KEEP_ELSEWHERE} If it is no secret, pass {_named(blocked)} in 'allow'."


def _contact_remedy(personal: list[Finding]) -> str:
    return (
        "A project's memory is read by others: name the role or where the address is kept instead, or file it in the"
        f" user store. If it may be known to all of them, pass {_named(personal)} in 'allow'."
    )


def _named(found: list[Finding]) -> str:
    return ", ".join(dict.fromkeys(f"'{f.rule}'" for f in found))


def _refusal(argument: str, value: str, blocked: list[Finding], remedy: str) -> SecretFound:
    told = "; ".join(f"{_about(f.rule)} ({f.rule}, {_place(value, f)})" for f in blocked[:5])
    more = f"; and {len(blocked) - 5} more" if len(blocked) > 5 else ""
    places = [{"rule": f.rule, "tier": f.tier, "start": f.start, "end": f.end} for f in blocked]
    return SecretFound(
        f"'{argument}' holds {told}{more}. Nothing was written.", remedy, argument=argument, findings=places
    )


def _about(rule: str) -> str:
    if row := secrets.rules().get(rule):
        return row.about
    return CONTACT_RULES.get(rule, "what a scanner takes for a secret")


def _place(text: str, found: Finding) -> str:
    """The lines and columns a person would look at, both from 1."""
    first = text.count("\n", 0, found.start) + 1
    last = text.count("\n", 0, found.end) + 1
    if first != last:
        return f"lines {first} to {last}"
    line_start = text.rfind("\n", 0, found.start) + 1
    columns = f"columns {found.start - line_start + 1} to {found.end - line_start}"
    return f"line {first}, {columns}" if "\n" in text else columns
