"""What differs between the odd part of a chart and the rest of it: each field, the most telling first."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest

from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
SPAN = "from=2026-01-31T00:00&to=2026-02-01T00:00"
PART = "since=2026-01-31T12:00&until=2026-01-31T13:00"


@pytest.fixture
def storm(letter):
    """A hundred and twenty before noon; at noon forty more, of one carrier, on one queue."""
    for number in range(120):
        at = NOON - timedelta(hours=11) + timedelta(minutes=5 * number)
        payload = {"carrier": ("MQ", "UA", "DL", "B6")[number % 4], "order_id": number}
        letter(
            payload=payload, created_at=at, queue=f"q{number % 3}", error_reason="Refused: billing said no"
        )
    for number in range(40):
        letter(
            payload={"carrier": "MQ", "card": f"4111 1111 1111 {1000 + number}"}, created_at=NOON, queue="q1",
            error_reason="Timeout: no answer", headers='{"region": "north"}',
        )  # fmt: skip


def page(client, query: str) -> str:
    return " ".join(client.get(f"/differs/?{query}").content.decode().split())


def test_every_field_that_differs_is_ranked_and_leads_to_its_list(viewer, storm):
    text = page(viewer, f"{SPAN}&{PART}")
    for words in ("payload.carrier", "is MQ", "is q1", "header.region", "Timeout"):
        assert words in text, words
    [url] = re.findall(r'href="([^"]+)">is q1</a>', text)
    assert "40 matching" in viewer.get(unescape(url)).content.decode()
    assert "4111" not in text


def test_the_same_may_be_asked_of_a_part_of_the_list(viewer, storm):
    """Any filter of the list stands on both sides."""
    text = page(viewer, f"{SPAN}&{PART}&queue=q1")
    assert "is MQ" in text
    assert ">is q1<" not in text


def test_too_few_and_nothing_are_said(viewer, storm):
    assert "Too few to compare" in page(viewer, f"{SPAN}&since=2026-01-31T01:00&until=2026-01-31T01:20")
    assert "Say since when and until when" in page(viewer, "")
    assert "since must be before until" in page(viewer, "since=2026-02-01&until=2026-01-01")
    assert "must be a date" in page(viewer, f"from=soon&{PART}")


def test_who_sees_some_compares_that(storm):
    assert "0 in this part" in page(limited("viewer", [("billing", "*")]), f"{SPAN}&{PART}")


def test_a_chart_offers_its_bars_without_a_mouse(viewer, letter):
    letter()
    text = viewer.get("/").content.decode()
    [since] = re.findall(r'<select name="since">(.*?)</select>', text, re.DOTALL)
    assert since.count("<option") == 24
