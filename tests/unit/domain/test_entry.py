"""What an entry says of itself."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memshelf.domain.entry import Entry, instant, mint, stamp, time_argument
from memshelf.errors import BadRequest

NOW = datetime(2026, 11, 9, 8, tzinfo=UTC)


def entry(stamped: bool = True, **attributes: str) -> Entry:
    return Entry("3f9a1c2b7d10", "a", "bullet", 1, (), attributes, stamped)


def test_what_somebody_typed_is_external_and_what_a_tool_wrote_is_derived_unless_it_says_more() -> None:
    assert entry(stamped=False).trust == "external"
    assert entry().trust == "derived"
    assert entry(trust="confirmed").trust == "confirmed"


@pytest.mark.parametrize(
    ("conf", "value"), [("0.4", 0.4), ("7", 1.0), ("-1", 0.0), ("much", 1.0), ("nan", 1.0), ("", 1.0)]
)
def test_a_confidence_is_within_0_and_1_and_1_where_it_is_no_number(conf: str, value: float) -> None:
    assert entry(conf=conf).confidence == value


@pytest.mark.parametrize(
    ("attributes", "state"),
    [
        ({}, "active"),
        ({"exp": "2026-11-09T08:00:00Z"}, "expired"),
        ({"exp": "2026-11-09T08:00:01Z"}, "active"),
        ({"to": "2026-11-08"}, "expired"),
        ({"exp": "soon"}, "active"),
        ({"conflict": "aaaaaaaaaaaa"}, "conflicted"),
        ({"conflict": "aaaaaaaaaaaa", "to": "2026-11-08"}, "expired"),
        ({"end": "retracted", "exp": "2026-11-08"}, "retracted"),
        ({"end": "whatever"}, "archived"),
    ],
)
def test_the_state_follows_from_the_attributes_and_the_time(attributes: dict[str, str], state: str) -> None:
    assert entry(**attributes).state(NOW) == state


def test_an_id_follows_path_text_and_place_but_not_case_or_spacing() -> None:
    assert mint("user/a.md", "Use  HTTPX2", 0) == mint("user/a.md", "use httpx2", 0)
    assert (
        len(
            {mint("user/a.md", "a", 0), mint("user/b.md", "a", 0), mint("user/a.md", "b", 0), mint("user/a.md", "a", 1)}
        )
        == 4
    )


def test_times_are_utc_whatever_they_were_written_in() -> None:
    assert (
        instant("2026-11-09T09:00:00+01:00") == instant("2026-11-09T08:00:00Z") == instant("2026-11-09T08:00:00") == NOW
    )
    assert instant("0001-01-01T00:00:00+14:00") is None
    assert instant("yesterday") is None
    assert stamp(NOW) == "2026-11-09T08:00:00Z"


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("2026-11-09", "2026-11-09T00:00:00Z"),
        ("2026-11-09T09:00:00+01:00", "2026-11-09T08:00:00Z"),
        ("2026-11-09T08:00Z", "2026-11-09T08:00:00Z"),
    ],
)
def test_a_callers_time_is_written_in_utc(given: str, written: str) -> None:
    assert time_argument(given, "expires_at") == written


@pytest.mark.parametrize("given", ["2026-11-09T08:00:00", "2026-02-30", "09.11.2026", "", "0001-01-01T00:00:00+14:00"])
def test_a_callers_time_without_zone_or_that_is_none_is_refused(given: str) -> None:
    with pytest.raises(BadRequest, match="expires_at"):
        time_argument(given, "expires_at")
