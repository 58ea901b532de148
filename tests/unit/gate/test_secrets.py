"""The rule table finds what it should, lets innocent lines pass, and never tells what it found."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memshelf.gate import scanner
from memshelf.gate.secrets import MalformedRules, Rule, entropy, findings, parse, rules

CORPUS = runpy.run_path(str(Path(__file__).with_name("corpus.py")))
TRUE, HELD_OUT, INNOCENT = CORPUS["TRUE"], CORPUS["HELD_OUT"], CORPUS["INNOCENT"]
ALNUM = CORPUS["ALNUM"]
ROW = '[secret.some-key]\ntier = 1\nabout = "a key"\nkeywords = ["some_"]\npattern = "some_[a-z]{3}"\n'
BY_KIND = {case.kind: case for case in TRUE}
PAYLOAD = st.text(alphabet=ALNUM, min_size=36, max_size=36).filter(lambda s: len(set(s)) > 15)


def parts(secret: str) -> list[str]:
    return [secret[i : i + 6] for i in range(len(secret) - 5)]


def test_the_corpus_is_as_large_as_it_says() -> None:
    assert len({case.kind for case in TRUE}) >= 60
    assert len({case.kind for case in HELD_OUT}) >= 25
    assert len(set(INNOCENT)) >= 64
    assert all(case.secret in case.text for case in (*TRUE, *HELD_OUT))


def test_no_secret_stands_in_the_corpus_as_a_literal() -> None:
    source = Path(__file__).with_name("corpus.py").read_text("utf-8")
    innocent = "\n".join(INNOCENT)
    told = [
        source[f.start : f.end] for f in findings(source) if f.tier == 1 and source[f.start : f.end] not in innocent
    ]
    assert told == []


@pytest.mark.parametrize("case", TRUE, ids=lambda case: case.kind)
def test_a_true_secret_is_found_where_it_stands(case) -> None:
    found = findings(case.text)

    assert found, case.kind
    at = case.text.index(case.secret)
    assert any(f.start < at + len(case.secret) and at < f.end for f in found)


@pytest.mark.parametrize("line", INNOCENT, ids=lambda line: line[:40])
def test_an_innocent_line_passes(line: str) -> None:
    assert findings(line) == []


def test_half_of_the_kinds_that_have_no_row_of_their_own_are_found() -> None:
    assert sum(bool(findings(case.text)) for case in HELD_OUT) >= len(HELD_OUT) / 2


@pytest.mark.parametrize("kind", ["github-classic", "stripe", "aws-id", "age"])
@pytest.mark.parametrize("disguise", ["\u200b", "\u2060", "\u00ad", "\ufeff", "\u202e", "\x00"])
def test_invisible_characters_hide_nothing(kind: str, disguise: str) -> None:
    secret = BY_KIND[kind].secret
    text = f"it is {disguise.join(secret)} here"

    assert [(f.tier, f.start, f.end) for f in findings(text)] == [(1, 0, len(text))]


def test_full_width_letters_hide_nothing() -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) for c in BY_KIND["github-classic"].secret)
    assert [f.rule for f in findings(f"token {wide}")] == ["github-token"]


@pytest.mark.parametrize("form", ["`{}`", "**{}**", "`{}`.", "_{}_ ", "[{}](x)", "'{}'", "({})", "- {}\n"])
def test_markup_around_a_token_hides_nothing(form: str) -> None:
    assert [f.rule for f in findings(form.format(BY_KIND["github-classic"].secret))] == ["github-token"]


@pytest.mark.parametrize("mark", ["**", "`", "*", "\\_"])
def test_markup_within_a_token_hides_nothing(mark: str) -> None:
    secret = BY_KIND["github-classic"].secret
    text = secret.replace("_", mark, 1) if mark == "\\_" else secret[:9] + mark + secret[9:]
    assert "github-token" in {f.rule for f in findings(f"token: {text}")}


def test_one_value_is_told_once_by_the_most_certain_rule() -> None:
    secret = BY_KIND["github-classic"].secret
    text = f"GITHUB_TOKEN={secret} and again {secret}"
    assert [(f.rule, text[f.start : f.end]) for f in findings(text)] == [("github-token", secret)] * 2


def test_columns_are_those_of_the_value_alone() -> None:
    text = "prod: DB_PASSWORD='kYv-72.bWq' since May"
    (found,) = findings(text)
    assert text[found.start : found.end] == "kYv-72.bWq"


@given(PAYLOAD, st.sampled_from(["gh" + "p_", "np" + "m_", "password: ", "token = ", "the password is "]))
def test_no_finding_tells_a_part_of_the_value(payload: str, before: str) -> None:
    told = repr(findings(f"note {before}{payload} end"))
    assert not [part for part in parts(payload) if part in told]


@pytest.mark.parametrize("rule", rules().values(), ids=lambda rule: rule.name)
def test_a_rule_is_whole(rule: Rule) -> None:
    for pattern in (rule.pattern, rule.placeholder, rule.unless):
        re.compile(pattern)
    plain = re.sub(r"\[(?:\\.|[^\]\\])*\]|\\.", "x", rule.pattern)
    assert not re.search(r"[x.)][*+]", plain), "bound the repeats"
    assert "\n" not in rule.about
    assert rule.about.split()[0] in {"a", "an", "the", "what"}
    assert rule.keywords


@pytest.mark.parametrize("rule", rules().values(), ids=lambda rule: rule.name)
def test_an_adversarial_text_ends(rule: Rule) -> None:
    """A pattern with exponential or quadratic steps would not come back from these within the run."""
    literal = rule.keywords[0]
    size = 200_000
    lead = literal + " token password: " + "curl -u a"
    for piece in (
        "a",
        "a1A",
        literal,
        literal.upper() + "x",
        literal + ": ",
        "eyJ-",
        "Aaa: ",
        "-----BEGIN ",
        "://a:",
        lead,
        " -p",
    ):
        list(rule.spans((piece * (size // len(piece) + 1))[:size]))


def test_entropy_is_in_bits_a_character() -> None:
    assert (entropy(""), entropy("aaaa"), entropy("abab"), entropy("abcd")) == (0, 0, 1, 2)


@pytest.mark.parametrize(
    ("change", "column"),
    [
        (("tier = 1", "tier = 3"), "tier"),
        (('about = "a key"\n', ""), "about"),
        (('["some_"]', '["SOME_"]'), "keywords"),
        (('["some_"]', "[]"), "keywords"),
        (("tier = 1", "tier = 1\nlevel = 2"), "level"),
        (("tier = 1", "tier = '1'"), "tier"),
        (("tier = 1", "tier = true"), "tier"),
        (("some-key", "Some_Key"), "name"),
    ],
)
def test_a_broken_row_is_told_by_its_column(change: tuple[str, str], column: str) -> None:
    with pytest.raises(MalformedRules, match=f"column '{column}'"):
        parse(ROW.replace(*change))


def test_what_is_no_table_is_told() -> None:
    with pytest.raises(MalformedRules, match="no TOML"):
        parse("[secret")
    with pytest.raises(MalformedRules, match="outside a row"):
        parse("x = 1\n" + ROW)


def test_without_the_extra_the_scanner_finds_nothing(monkeypatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(scanner, "import_module", missing)
    scanner._engine.cache_clear()
    try:
        assert (scanner.findings(BY_KIND["stripe"].text), scanner.state()) == ([], "absent")
    finally:
        scanner._engine.cache_clear()


def test_the_scanner_of_the_extra_counts_as_we_do() -> None:
    pytest.importorskip("betterleaks")
    secret = BY_KIND["github-classic"].secret
    text = f"é 😀\nzwei {secret} ende\x00"

    (found,) = scanner.findings(text)

    assert (found.tier, text[found.start : found.end]) == (2, secret)
    assert found.rule.startswith("betterleaks:")
    assert scanner.findings("password: 1Password, item 'staging db'") == []
    assert scanner.findings("\ud800") == []
