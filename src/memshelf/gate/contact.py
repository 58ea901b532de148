"""Personal contact data in a text: e-mail addresses of people and phone numbers.

Postal addresses are not looked for: what can be found reliably is too little to promise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memshelf.gate.secrets import Finding, readings

RULES = {
    "contact-email": "a person's e-mail address",
    "contact-phone": "a phone number",
}
"""Each rule and what it finds, with its article."""

_EMAIL = re.compile(
    r"(?<![\w.+%@/\]-])(?P<local>\w[\w.+%'-]{0,63})@(?P<domain>(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,5}[^\W\d_]{2,24})(?![\w@-])"
)
_ROLES = frozenset(
    (  # noqa: SIM905 - a table of words reads best as text
        "abuse accounts admin administrator alerts app backup billing bot build careers ci compliance conduct "
        "contact daemon deploy dev devops dpo ec2-user email example feedback first.last firstname.lastname "
        "foo git github gitlab hallo hello help helpdesk hg hostmaster hr info it jane.doe jenkins jobs "
        "john.doe kontakt legal mail mailer-daemon marketing me monitoring name nobody noc notifications "
        "notify office oncall ops postgres postmaster press privacy release renovate robot root sales "
        "security service services someone staff support svn sysadmin system team test tester ubuntu user "
        "username webmaster www-data you yourname"
    ).split()
)
_ROLE_FORM = re.compile(r"(?i)^(?:no|do-?not|not)[-_.]?reply|(?:^|[-_.])(?:bot|dev|users?|announce|list|team|noreply)$")
_NO_PERSON_DOMAIN = re.compile(
    r"(?i)(?:^|\.)(?:example(?:\.\w{2,3}){1,2}|lists\.[\w.-]+|googlegroups\.com|gserviceaccount\.com|[\w.-]*noreply[\w.-]*"
    r"|[\w-]+\.(?:test|invalid|localhost|example|local|lan|internal|localdomain|corp|arpa|intranet"
    r"|service|socket|timer|target|mount|slice|png|jpe?g|gif|svg|webp|ico|pdf|css|jsx?|tsx?|json|ya?ml|toml|txt|html|lock"
    r"|whl|gz|zip))$"
)
_LOGIN_BEFORE = re.compile(r"(?i)(?:\b(?:ssh|scp|sftp|rsync|mosh|autossh)\b[^\n;|]{0,80}|://\S{0,80})$")
_PATH_AFTER = re.compile(r":[~/\w]")

_KEYWORD = (
    r"(?:tele?phone?|telefon|teléfono|téléphone|telefono|phone|tel|fax|mobile|mobil(?:nummer)?|handy(?:nummer)?"
    r"|cell ?phone|móvil|portable|whatsapp|rufnummer|durchwahl)\.?(?: ?(?:no|nr|number|nummer|numéro|número)\.?)?"
)
_BEFORE = r"(?<![\w.+/=:~^-])(?P<n>"
_AFTER = r")(?![\w/=%]|[.,:-]\d)"
_PHONES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        # international: +49 170 1234567, +1 (415) 555-2671, +33612345678, 0049 30 1234567
        _BEFORE + r"\+[1-9]\d{8,14}" + _AFTER,
        _BEFORE + r"\+[1-9]\d{0,2}[ ./-]{0,2}(?:\(\d{1,5}\)[ ./-]{0,2})?\d{1,6}(?:[ ./-]{1,2}\d{1,7}){0,6}" + _AFTER,
        _BEFORE + r"00[1-9]\d{0,2}[ /-]{1,2}(?:\(0?\) ?)?\d{2,5}(?:[ /-]{1,2}\d{2,8}){1,5}" + _AFTER,
        # North America: (415) 555-2671, 415-555-2671
        _BEFORE + r"(?:1[ -])?(?:\([2-9]\d\d\) ?|[2-9]\d\d-)[2-9]\d\d-\d{4}" + _AFTER,
        # with a trunk zero: 0170 1234567, 030/1234567, (030) 123 456 78, 020 7946 0958
        _BEFORE + r"(?:\(0[1-9]\d{1,4}\) ?|0[1-9]\d{1,4}[ /-]{1,3})\d{3,8}(?:[ -]\d{2,6}){0,3}" + _AFTER,
        # in pairs: 06 12 34 56 78
        _BEFORE + r"0[1-9](?P<s>[ .-])\d\d(?:(?P=s)\d\d){3}" + _AFTER,
        # whatever stands beside the word
        rf"(?<![\w-]){_KEYWORD}(?:\s?[:=]|\s(?:is|ist|est|es))?\s{{0,2}}(?P<n>[+(]?\d[\d ()/.-]{{5,22}}\d" + _AFTER,
    )
)
_NO_PHONE = re.compile(
    r"^\(?\d{4}[-./]\d{1,2}[-./]\d{1,2}|^\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d|^\d{1,3}(?:\.\d{1,3}){3}$|^\d{1,3}(?:\.\d{1,3}){1,2}$"
    r"|^0[0-7]{3} [01]\d{5}$|555[-. ]01\d\d$|^\d{5}-\d{4}$|^\+?0+$"
)


def contacts(text: str) -> list[Finding]:
    """Contact data of people, by start; no two overlap. Columns are those of the whole text where it is disguised."""
    found = [Finding(rule, 2, start, end) for rule, start, end in _scan(text)]
    for form in readings(text):
        for rule, _, _ in _scan(form):
            if all(f.rule != rule for f in found):
                found.append(Finding(rule, 2, 0, len(text)))
    return sorted(found, key=lambda f: (f.start, f.end))


def _scan(text: str) -> list[tuple[str, int, int]]:
    found = [("contact-email", *span) for span in _emails(text)] if "@" in text else []
    for pattern in _PHONES:
        for match in pattern.finditer(text):
            start, end = match.span("n")
            if _is_phone(match["n"]) and not any(a < end and start < b for _, a, b in found):
                found.append(("contact-phone", start, end))
    return found


def _emails(text: str) -> Iterator[tuple[int, int]]:
    for match in _EMAIL.finditer(text):
        local = match["local"].lower().split("+")[0]
        if local in _ROLES or _ROLE_FORM.search(local) or _NO_PERSON_DOMAIN.search(match["domain"]):
            continue
        before, after = text[max(0, match.start() - 100) : match.start()], text[match.end() : match.end() + 2]
        if not _LOGIN_BEFORE.search(before) and not _PATH_AFTER.match(after):
            yield match.span()


def _is_phone(number: str) -> bool:
    digits = re.sub(r"\D", "", number)
    least = 9 if number.startswith("+") else 7
    return least <= len(digits) <= 15 and len(set(digits)) > 2 and not _NO_PHONE.search(number.strip())
