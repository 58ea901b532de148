"""Addresses and numbers of people are found; machines, roles, versions and ids are left alone."""

from __future__ import annotations

import pytest

from memshelf.gate.contact import contacts

PERSONAL = [
    "anna.berg@firma.de",
    "mail Jürgen at juergen.k@web.de",
    "call +49 170 1234567",
    "+1 (415) 555-2671",
    "415-555-2671",
    "(415) 555-2671",
    "+33612345678",
    "0170 1234567",
    "030/12345678",
    "06 12 34 56 78",
    "Tel: 5551234567",
    "phone number is 415.555.2671",
    "020 7946 0958",
    "0049 30 1234567",
    "Handy 01701234567",
    "anna＠firma.de",
    "Anna <anna@firma.io>",
]
IMPERSONAL = [
    "Boston, MA 02110-1301 USA",
    "git@github.com:org/repo.git",
    "noreply@firma.de",
    "no-reply@x.io",
    "support@x.io",
    "12345+dependabot[bot]@users.noreply.github.com",
    "renovate[bot]@firma.de",
    "anna@example.com",
    "anna@mail.example.org",
    "x@y.test",
    "a@b.invalid",
    "ssh anna@host.firma.de",
    "scp x anna@host.firma.de:/tmp",
    "getty@tty1.service",
    "icon@2x.png",
    "lodash@4.17.21",
    "@scope/pkg@1.2.3",
    "192.168.100.200",
    "version 2024.10.11",
    "2024-05-01 10:00:00",
    "port 5432, 8080-8090",
    "id 1234567890123",
    "commit 3f2a9c1d0b7e",
    "550e8400-e29b-41d4-a716-446655440000",
    "+0200 and +02:00",
    "1,234,567 rows",
    "+12 -5 lines",
    "line 1234-5678",
    "mode 0644 100755",
    "1718000000",
    "RFC 2119, 8174",
    "ISBN 978-3-16-148410-0",
    "10.0.0.1:5432",
    "2024-01-02/2024-03-04",
    "+1234 -5678",
    "python-dev@python.org",
    "sa@proj.iam.gserviceaccount.com",
    "phone screen 2024-05-01",
    "mobile 16.4.1",
    "0x1234 5678",
    "deploy@build.internal",
    "15 000 000 items",
    "1 234 567 890 bytes",
    "https://anna@git.firma.de/x",
    "tel 2.0.1",
    "999-123-4567890",
]


@pytest.mark.parametrize("text", PERSONAL)
def test_contact_data_of_a_person_is_found_once(text: str) -> None:
    (found,) = contacts(text)
    assert found.rule == ("contact-phone" if text[-1].isdigit() else "contact-email")
    assert found.tier == 2


@pytest.mark.parametrize("text", IMPERSONAL)
def test_what_is_nobodys_passes(text: str) -> None:
    assert contacts(text) == []


def test_columns_are_those_of_the_address_and_the_number() -> None:
    text = "Anna (anna.berg@firma.de, +49 170 1234567) owns it"
    assert [text[f.start : f.end] for f in contacts(text)] == ["anna.berg@firma.de", "+49 170 1234567"]


def test_invisible_characters_hide_no_address() -> None:
    assert [f.rule for f in contacts("anna\u200b@firma.de")] == ["contact-email"]


@pytest.mark.parametrize(
    "piece", ["a", "a@", "a.", "a@a.", "1", "1 ", "+1 ", "ssh a@b.c ", "0170 ", "-", "tel 1", "(030) "]
)
def test_an_adversarial_text_ends(piece: str) -> None:
    contacts((piece * (200_000 // len(piece) + 1))[:200_000])
