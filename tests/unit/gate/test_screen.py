"""What is refused where, what overrides it, and that no refusal tells the value."""

from __future__ import annotations

import random
import string
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memshelf.errors import BadRequest, SecretFound, TranscriptFound
from memshelf.gate import scanner
from memshelf.gate.screen import rule_names, screen
from memshelf.gate.secrets import Finding

ALNUM = string.ascii_letters + string.digits
TOKEN = "gh" + "p_" + "".join(random.Random(7).choices(ALNUM, k=36))
WEAK = "DB_PASSWORD=" + "".join(random.Random(8).choices(ALNUM, k=11)) + "9"
MAIL = "ask anna.berg@firma.de about the licence"
PAYLOAD = st.text(alphabet=ALNUM, min_size=36, max_size=36).filter(lambda s: len(set(s)) > 15)


@pytest.mark.parametrize("store", ["user", "project"])
@pytest.mark.parametrize("argument", ["text", "name", "tags", "collection", "evidence", "source", "reason"])
def test_a_token_is_refused_in_every_argument_of_every_store(store: str, argument: str) -> None:
    with pytest.raises(SecretFound) as refused:
        screen({"text": "the mirror is pulled nightly", argument: f"use {TOKEN}"}, store, allow=["github-token"])

    said = str(refused.value)
    assert said.startswith(f"SECRET_FOUND: '{argument}' holds a GitHub token (github-token, columns 5 to 44).")
    assert "environment" in said
    assert "'allow'" not in said
    assert refused.value.data["findings"] == [{"rule": "github-token", "tier": 1, "start": 4, "end": 44}]


def test_tier_2_passes_in_a_user_store_where_its_rule_is_named() -> None:
    with pytest.raises(SecretFound, match="pass 'assignment' in 'allow'"):
        screen({"text": WEAK}, "user")
    screen({"text": WEAK}, "user", allow=["assignment"])
    with pytest.raises(SecretFound, match="nothing overrides"):
        screen({"text": WEAK}, "project", allow=["assignment"])


def test_an_override_of_one_rule_is_none_of_another() -> None:
    with pytest.raises(SecretFound, match="github-token"):
        screen({"text": f"{WEAK} and {TOKEN}"}, "user", allow=["assignment"])


def test_contact_data_is_refused_in_projects_only_and_may_be_named() -> None:
    screen({"text": MAIL}, "user")
    with pytest.raises(SecretFound, match=r"e-mail address \(contact-email, columns 5 to 22\).*pass 'contact-email'"):
        screen({"text": MAIL}, "project")
    screen({"text": MAIL}, "project", allow=["contact-email"])
    with pytest.raises(SecretFound, match="contact-phone"):
        screen({"text": f"{MAIL}, +49 170 1234567"}, "project", allow=["contact-email"])


def test_the_place_in_a_longer_text_is_told_by_line() -> None:
    with pytest.raises(SecretFound, match="line 2, columns 3 to 42"):
        screen({"text": f"one\n- {TOKEN}\n"}, "user")
    dashes = "-" * 5
    key = f"{dashes}BEGIN PRIVATE KEY{dashes}\n" + "\n".join([TOKEN[4:]] * 3)
    with pytest.raises(SecretFound, match="lines 3 to 5"):
        screen({"text": f"key:\n{key}"}, "user")


def test_a_transcript_is_refused_in_free_text_only() -> None:
    talk = "User: how do I reset the database?\nAssistant: run make reset and seed it again."
    for store in ("user", "project"):
        with pytest.raises(TranscriptFound, match="TRANSCRIPT_FOUND: 'text' looks like a conversation of 2 turns"):
            screen({"text": talk}, store)
    screen({"evidence": talk}, "user")
    with pytest.raises(TranscriptFound, match="'reason'"):
        screen({"reason": talk}, "user", free_text=("text", "reason"))


def test_an_unknown_rule_is_refused_with_the_list_and_without_the_name() -> None:
    with pytest.raises(BadRequest) as refused:
        screen({"text": "plain"}, "user", allow=["assignment", TOKEN])
    assert "Name 2 in 'allow'" in str(refused.value)
    assert TOKEN[4:10] not in str(refused.value)
    assert all(name in str(refused.value) for name in rule_names())


def test_an_unknown_store_is_refused() -> None:
    with pytest.raises(BadRequest, match="neither"):
        screen({"text": "plain"}, "team")


def test_what_only_the_scanner_finds_is_tier_2(monkeypatch) -> None:
    monkeypatch.setattr(scanner, "findings", lambda text: [Finding("betterleaks:some-rule", 2, 0, len(text))])

    with pytest.raises(SecretFound, match=r"takes for a secret \(betterleaks:some-rule, columns 1 to 5\)"):
        screen({"text": "plain"}, "user")
    screen({"text": "plain"}, "user", allow=["betterleaks:some-rule"])
    with pytest.raises(SecretFound, match="nothing overrides"):
        screen({"text": "plain"}, "project", allow=["betterleaks:some-rule"])


def test_an_own_override_covers_what_the_scanner_says_of_the_same_place(monkeypatch) -> None:
    monkeypatch.setattr(scanner, "findings", lambda text: [Finding("betterleaks:generic", 2, 12, len(text))])
    screen({"text": WEAK}, "user", allow=["assignment"])


def test_empty_and_plain_fields_pass() -> None:
    screen({"text": "", "tags": "", "source": "docs/build.md"}, "project")


@given(PAYLOAD, st.sampled_from(["gh" + "p_", "np" + "m_", "password: ", "TOKEN=", "key `", "\u200b"]))
def test_no_refusal_tells_a_part_of_the_value(payload: str, before: str) -> None:
    for store in ("user", "project"):
        for fields, allow in (({"text": f"note {before}{payload} end"}, ()), ({"text": "x"}, [payload])):
            try:
                screen(fields, store, allow)
            except (SecretFound, BadRequest) as why:
                frames = "".join(traceback.format_exception_only(why))
                told = f"{why!s} {why!r} {why.args} {why.data} {frames} {why.__context__!r} {why.__cause__!r}"
                assert not [payload[i : i + 6] for i in range(31) if payload[i : i + 6] in told]
