"""One key for every spelling of a value, another for every other value."""

from __future__ import annotations

import hashlib
import time
import unicodedata

import pytest

from memshelf.domain.confusables import LOOKALIKES, SPACING_MARKS
from memshelf.domain.skeleton import key, skeleton

VALUE = "Use httpx2, never requests"


@pytest.mark.parametrize(
    "spelling",
    [
        "use HTTPX2, NEVER Requests",
        "Use httpx2,  never\trequests\n",
        "Use\nhttpx2,\r\nnever requests",
        "Use\u00a0httpx2,\u3000never\u2009requests",
        "Use\u2028httpx2, never\u0085requests",
        "Ｕｓｅ　ｈｔｔｐｘ２，　ｎｅｖｅｒ　ｒｅｑｕｅｓｔｓ",
        "U\u200bse httpx2,\ufeff ne\u2060ver re\u00adquests",
        "Use httpx2, \u202enever\u202c requests\u200f",
        "Use\x00 httpx2\x07, never requests",
        "Use\ufe0f httpx2\U000e0101, never\U000e0041 requests",
        "Use httpx2, n\u034fever \u3164requests",
        "Use httрх2, nеvеr rеquеѕts",
        "USΕ ΗΤΤΡΧ2, ΝΕVΕR requests",
        "υse httpx2, neνer requests",
        "𝔘𝔰𝔢 𝒽𝓉𝓉𝓅𝓍𝟚, 𝐧𝐞𝐯𝐞𝐫 𝗿𝗲𝗾𝘂𝗲𝘀𝘁𝘀",
        "UᏚE httpx2, neᏙer requeѕtѕ",
        "Uꜱe httpx2, never requests",
        "Ⓤⓢⓔ httpx², never requests",
        "U\u0336s\u0336e\u0336 httpx2, never requests",
        "Use httpx2, n\u0301\u0317\u0326ever requests\u20dd",
        "**Use** httpx2, _never requests_",
        "Use `httpx2`, never `requests`.",
        "**Use httpx2, never requests!**",
        "~~Use httpx2, never requests~~",
        "“Use httpx2, never requests…”",
        "«Use httpx2, never requests»",
        "'Use httpx2, never requests'.",
        "Use httpx2, never requests。",
    ],
)
def test_a_spelling_has_the_same_key(spelling: str) -> None:
    assert skeleton(spelling) == skeleton(VALUE)
    assert key(spelling) == key(VALUE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café — naïve", "CAFE\u0301 - nai\u0308ve"),
        ("Die Straße", "DIE STRASSE"),
        ("Работа — да", "РАБОТА – ДА"),
        ("проект", "прoeкт"),
        ("Σίσυφος και Νίκη", "ΣΊΣΥΦΟΣ ΚΑΙ ΝΊΚΗ"),
        ("İstanbul", "i̇stanbul"),
        ("ｶﾞﾗｽ を使う", "ガラス　を使う"),
        ("port ٨٠٨١", "port 8081"),
        ("port 8081", "port 8O8l"),
        ("ﬁle ﬂow", "file flow"),
        ("it’s", "it's"),
        ("x ʹyʹ ″z″", "x 'y' \"z\""),
        ("\u1fefx\u1fef", "`x`"),
        ("می\u200cخواهم", "میخواهم"),
        ("👩\u200d💻 ❤\ufe0f", "👩💻 ❤"),
    ],
)
def test_so_has_every_spelling_in_other_scripts(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("port 8081", "port 8080"),
        ("port 8081", "port 8088"),
        ("10 workers", "100 workers"),
        ("10 workers", "11 workers"),
        ("a modern modem", "a modem modern"),
        ("Use httpx2, never requests", "Never use requests, but httpx2"),
        ("Use tabs", "Use tabs?"),
        ("a = b", "a ≠ b"),
        ("call __init__ first", "call init first"),
        ("call f(*args)", "call f(args)"),
        ("match **/*.py", "match /.py"),
        ("keep snake_case", "keep snakecase"),
        ("a, b", "a b"),
        ("a-b", "a b"),
        ("résumé", "resume"),
        ("für", "fur"),
        ("ø", "o"),
        ("שלום", "שלומ"),
        ("缓存键", "缓存值"),
        ("v2.0", "v20"),
        ("-1", "1"),
        ("", "!"),
        ("!", "?"),
        ("***", "**"),
    ],
)
def test_another_value_has_another_key(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)
    assert key(one) != key(other)


@pytest.mark.parametrize(
    "text",
    ["!", "...", "**", "~~~~", "a ~~~~ b", '""', '"."', "**.**", "_", "`", "* a *", "\u0301", "'*_a_*'", "\ud800x"],
)
def test_what_is_little_but_decoration_is_its_own_skeleton(text: str) -> None:
    once = skeleton(text)
    assert skeleton(once) == once
    assert bool(once) == (text not in ("`", "\u0301"))


def test_a_key_is_24_hex_digits_of_sha256() -> None:
    assert key("Use  TABS.") == hashlib.sha256(b"use tabs").hexdigest()[:24]
    assert key("\ud800") != key("\udfff")


def test_the_table_holds_only_what_is_met_behind_folding() -> None:
    every = [c for chars in LOOKALIKES.values() for c in chars]
    assert len(set(every)) == len(every)
    assert all(len(target) == 1 and target.isascii() and target == target.lower() for target in LOOKALIKES)
    known = [c for c in every if unicodedata.category(c) != "Cn"]
    assert [c for c in known if unicodedata.normalize("NFKD", c) != c] == []
    assert [c for c in known if c.isascii() or unicodedata.bidirectional(c) in ("R", "AL")] == []
    assert all(len(c) == 1 for chars in SPACING_MARKS.values() for c in chars)


def test_a_bullet_costs_next_to_nothing_and_a_wall_of_marks_is_read_in_linear_time() -> None:
    bullet = "Use **httpx2**, never `requests`: it has timeouts by default, and the pool is on port 8080."
    started = time.perf_counter()
    for _ in range(1000):
        key(bullet)
    assert time.perf_counter() - started < 0.5  # 20 ms on a quiet machine
    for wall in (
        "*a " * 5000,
        "*a* " * 4000,
        "**_" * 5000 + "a",
        '"' * 16_000,
        "é*а* _" * 2500,
        "~~" * 8000,
        "_a_ . " * 2500,
    ):
        started = time.perf_counter()
        skeleton(wall)
        assert time.perf_counter() - started < 2
