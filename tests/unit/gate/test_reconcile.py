"""Which texts have the same subject and another value: TRUST, "Same subject, exactly". The numbers are the steps of it."""

from __future__ import annotations

import pytest

from memshelf.domain.text import folded
from memshelf.gate.reconcile import Relation, head_terms, nearest, relation

LONG = " ".join(f"word{n}" for n in range(56))

PAIRS: dict[str, list[tuple[str, str, str]]] = {
    "equal after folding (1, 21)": [
        ("The API listens on port 8081.", "the api  LISTENS on\tport 8081.", "equal"),
        ("The ﬁle server is Straße 7.", "the file server is STRASSE 7.", "equal"),
        ("", " \n", "equal"),
        ("The API listens on port 8081.", "The API listens on port 8081", "restated"),
        ("The API listens on port 8081.", "Now the API always listens on port 8081!", "restated"),
    ],
    "a number, a unit, a version, a date (28, measured)": [
        ("The API listens on port 8081.", "The API listens on port 9090.", "changed"),
        ("The session timeout is 30s.", "The session timeout is 45 min.", "changed"),
        ("The session timeout is 30 minutes.", "The session timeout is 30min.", "restated"),
        ("The upload limit is 10 MB.", "The upload limit is 2 GB.", "changed"),
        ("The upload limit is 10 MB.", "The upload limit is 10 s.", "different"),
        ("CI runs on Python 3.11.", "CI runs on Python 3.13.", "changed"),
        ("The batch size is 1,000.", "The batch size is 1000.", "restated"),
        ("The batch size is 1,000.", "The batch size is 2,000.", "changed"),
        ("The standup is at 9:30.", "The standup is at 10:00.", "changed"),
        ("The backup runs on monday.", "The backup runs on friday.", "changed"),
        ("Limit uploads to 10 MB.", "Limit uploads to 25 MB.", "changed"),
        ("Retry failed jobs 3 times.", "Retry failed jobs 5 times.", "changed"),
        ("Node 18 is the minimum version.", "Node 20 is the minimum version.", "changed"),
        ("TIMEOUT=30 for the gateway", "TIMEOUT=60 for the gateway", "different"),
    ],
    "negation (16, 23)": [
        ("Use tabs.", "Never use tabs.", "changed"),
        ("Commit generated files.", "Don't commit generated files.", "changed"),
        ("The cache is shared.", "The cache is no longer shared.", "changed"),
        ("Use mocks in unit tests.", "Avoid mocks in unit tests.", "changed"),
        ("Nous utilisons les branches courtes.", "Nous n'utilisons pas les branches courtes.", "changed"),
        ("Never use tabs.", "Don't use tabs.", "restated"),
        ("The cache is not unsafe.", "The cache is safe.", "restated"),
    ],
    "antonyms (19, 23)": [
        ("Telemetry is enabled.", "Telemetry is disabled.", "changed"),
        ("Telemetry is enabled by default.", "Telemetry is off by default.", "changed"),
        ("Telemetry is on by default.", "Telemetry is enabled by default.", "restated"),
        ("Review is mandatory for hotfixes.", "Review is voluntary for hotfixes.", "changed"),
        ("Telemetry is not enabled.", "Telemetry is disabled.", "restated"),
        ("The private registry is fast.", "The public registry is fast.", "different"),  # it names what it is about
    ],
    "tools of which a subject has one (28, rivals)": [
        ("Use npm for installs.", "Use pnpm for installs.", "changed"),
        ("Use tabs for indentation.", "Use 4 spaces for indentation.", "changed"),
        ("The package manager is poetry.", "The package manager is uv.", "changed"),
        ("Use npm for installs.", "Use ruff for installs.", "different"),
        ("Never use npm for installs.", "Never use pnpm for installs.", "different"),  # two things may be forbidden
    ],
    "one value at a time, by its role or its verb (29)": [
        ("The default branch is main.", "The default branch is release.", "changed"),
        ("The owner of billing is Alice.", "The owner of billing is Bob.", "changed"),
        ("Alice owns billing.", "Bob owns billing.", "changed"),
        ("The main helper class is called Gadget.", "The main helper class is called Widget.", "changed"),
        ("Answer in German.", "Answer in English.", "changed"),
        ("The mascot is Otto.", "The mascot is Emma.", "different"),
        ("The owner of billing is nice.", "The owner of billing is too slow.", "different"),  # a quality
    ],
    "what was rejected, replaced or left (14, 25)": [
        ("Use requests for HTTP calls.", "Use httpx, not requests.", "changed"),
        ("Use requests for HTTP calls.", "Use httpx instead of requests for HTTP calls.", "changed"),
        ("We use Jenkins.", "Jenkins was replaced by Buildkite.", "changed"),
        ("The docs live in Notion.", "The docs moved from Notion to Confluence.", "changed"),
        ("Use httpx, not requests.", "Use requests for HTTP calls.", "changed"),
        ("Use requests for HTTP calls.", "Use httpx, not urllib3.", "different"),
    ],
    "limits on the whole (15, 23)": [
        ("Deploy on fridays.", "Deploy on fridays only after review.", "changed"),
        ("The flag is set until the release.", "The flag is set until the migration.", "changed"),
        ("The flag is set.", "The flag is set unless tests run.", "changed"),
        ("The flag is set until the release.", "The flag is set until the release now.", "restated"),
    ],
    "several values are allowed (28, many)": [
        ("The CLI supports JSON.", "The CLI supports YAML.", "different"),
        ("The API requires Postgres.", "The API requires Redis.", "different"),
        ("The cluster has 3 nodes.", "The cluster has 5 nodes.", "changed"),
        ("The client supports Python 3.11.", "The client supports Python 3.12.", "different"),
        ("The tests run on Linux.", "The tests run on macOS.", "different"),
    ],
    "lists (28, LIST_ROLES)": [
        ("A known issue is the slow login.", "A known issue is the broken logout.", "different"),
        ("The supported version is 3.11.", "The supported version is 3.12.", "different"),
        ("The maximum supported version is 3.11.", "The maximum supported version is 3.12.", "changed"),
    ],
    "another scope (18, 26, 27)": [
        ("Use npm for the frontend.", "Use pnpm for the backend.", "different"),
        ("The timeout is 30 s for reads.", "The timeout is 60 s for writes.", "different"),
        ("The timeout is 30 s for reads.", "The timeout is 60 s for reads.", "changed"),
        ("Use tabs.", "Do not use tabs for Python files.", "changed"),  # of a part of it
        ("Use tabs for Go files.", "Do not use tabs for Python files.", "different"),
    ],
    "another subject, and one slip of the pen (22)": [
        ("The API listens on port 8081.", "The worker listens on port 9090.", "different"),
        ("The API listens on port 8081.", "The cat sat on a mat.", "different"),
        ("The authentication timeout is 30 s.", "The authentciation timeout is 60 s.", "changed"),
        ("The scheduler timeout is 30 s.", "The shceduler timeout is 60 s.", "different"),  # a stem of 7 letters: 0.857
        ("The gate 1 service listens on port 80.", "The gate 2 service listens on port 81.", "different"),
    ],
    "questions, events, additions, headings (11, 23)": [
        ("The deploy failed on 3 nodes.", "The deploy failed on 5 nodes.", "different"),
        ("Yesterday the API listened on port 1.", "Yesterday the API listened on port 2.", "different"),
        ("Use npm for installs.", "Also use pnpm for installs.", "different"),
        ("Deployment", "deployment:", "different"),
        ("Which port does the API use?", "Which port does the worker use?", "different"),
    ],
    "Chinese, Japanese, and tongues whose negation is not known (2, 11)": [
        ("默认端口是 8080。", "默认端口是 9090。", "changed"),
        ("不要使用 npm。", "使用 npm。", "changed"),
        ("サーバーのポートは 8080 です。", "サーバーのポートは 9090 です。", "changed"),
        ("サーバーは使わない。", "サーバーは使う。", "different"),
        ("Порт сервера 8080.", "Порт сервера 9090.", "different"),
        ("De poort is niet 8080.", "De poort is niet 9090.", "different"),
    ],
    "identifiers and paths (5, 28)": [
        ("The config lives in src/settings.py.", "The config lives in conf/app.toml.", "changed"),
        ("The entry point is cli/main.py.", "The entry point is app/run.py.", "changed"),
        ("The registry lives at https://a.example/v1.", "The registry lives at https://b.example/v1.", "changed"),
        ("parse_args returns user_id.", "parse_args returns account_id.", "changed"),
        ("parse_args raises user_id.", "parse_args raises account_id.", "different"),
    ],
    "documents of over 60 tokens (11)": [
        (f"Port is 80 {LONG}", f"Port is 81 {LONG}", "changed"),
        (f"Port is 80 x {LONG} y", f"Port is 81 x {LONG} y", "different"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("rule", PAIRS)
def test_what_a_new_text_is_to_an_old_one(rule: str) -> None:
    found = {(old, new): str(relation(old, new)) for old, new, _ in PAIRS[rule]}
    assert found == {(old, new): what for old, new, what in PAIRS[rule]}


SLIGHT = [
    ("Use requests for HTTP calls.", "Use httpx rather than requests.", "changed"),
    ("Nutze requests.", "Nutze httpx anstelle von requests.", "changed"),
    ("The session timeout is 30 seconds.", "The session timeout is 30s.", "restated"),
    ("The retention is 7 d.", "The retention is 7 days.", "restated"),
    ("The session timeout is 30 minutes.", "The session timeout is 30 hours.", "changed"),
    ("The upload limit is 10 MB.", "The upload limit is 10 GB.", "changed"),
    ("Use tabs.", "Do not use tabs.", "changed"),
    ("Never use tabs.", "Please do not use tabs.", "restated"),
]
"""A phrase of two words; a unit of one letter; the same number of another unit; `do` and `please` before an imperative."""


@pytest.mark.parametrize(("old", "new", "what"), SLIGHT)
def test_slight_words_that_turn_a_statement_are_seen(old: str, new: str, what: str) -> None:
    assert relation(old, new) == what


@pytest.mark.parametrize("text", [LONG, "", " ", "¬", "The", "don't", "()", "a" * 3000, "\ud800 is 3", "为" * 70])
def test_any_text_is_equal_to_itself_and_no_change_of_itself(text: str) -> None:
    assert relation(text, f" {text}\n") is Relation.EQUAL
    assert relation(text, "The API listens on port 8081.") is Relation.DIFFERENT


OLDS = [
    "The worker listens on port 8081.",
    "The API listens on port 8081.",
    "The API listens on port 9090.",
    "the API listens  on port 9090.",
    "The API listens on port 7070.",
]


def test_the_nearest_is_the_equal_one_else_the_likest_that_is_changed() -> None:
    cases: dict[str, tuple[int, Relation] | None] = {
        "The API listens on port 9090.": (2, Relation.EQUAL),
        "THE API LISTENS ON PORT 7070.": (4, Relation.EQUAL),
        "The API listens on port 6060.": (2, Relation.CHANGED),  # the likest, and the first of two alike
        "The worker listens on port 9090.": (0, Relation.CHANGED),
        "The API does not listen on port 7070.": (4, Relation.CHANGED),
        "The mailer listens on port 8081.": None,
        "The API speaks HTTP.": None,
        "Otters hold hands.": None,
        "": None,
    }
    assert {new: nearest(new, OLDS) for new in cases} == cases
    assert nearest("The API listens on port 6060.", []) is None
    assert nearest("", ["", "x"]) == (0, Relation.EQUAL)
    assert nearest("The API listens on port 6060.", OLDS[::-1]) == (0, Relation.CHANGED)
    restated = "The API always listens on port 9090."
    assert nearest(restated, OLDS[2:3]) is None  # beside it, it says the same: neither equal nor changed
    assert relation(OLDS[2], restated) is Relation.RESTATED


HEADS = {
    "The API listens on port 8081.": ("api", "listen", "port", "8081"),
    "Decision: the user_id of src/db/models.py is unique.": ("user_id", "src/db/models.py", "user", "src", "model", "uniqu"),
    "Authentication of payments is slow": ("authentic", "payment", "slow"),
    "日志文件": ("日志", "志文", "文件"),
    "The and of": ("the", "and", "of"),
    "It is.": ("it", "is"),
    "": (),
    "...": (),
}


def test_head_terms_are_names_then_what_stands_before_the_verb_then_the_rest() -> None:
    assert {text: head_terms(text) for text in HEADS} == HEADS
    assert [(text, head) for text in HEADS for head in head_terms(text) if head not in folded(text)] == []
