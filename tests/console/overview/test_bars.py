"""The bars of the first page: from five minutes to a week, each a link to the list of what it counts."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest

from dlqconsole.engine.counts import buckets
from dlqconsole.engine.counts.buckets import BUCKETS
from tests.plain_sql import value
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db
LINK = re.compile(r'<a href="([^"]+)" aria-label="[^"]*: ([\d,]+) dead letters">')


@pytest.fixture
def spread(letter):
    """One now, and one behind each edge of the charts."""
    for minutes in (0, 1, 7, 50, 100, 60 * 20, 60 * 24 * 6, 60 * 24 * 25, 60 * 24 * 150):
        letter(created_at=datetime.now(UTC) - timedelta(minutes=minutes), error_reason=f"E{minutes}: no")


@pytest.mark.parametrize("name", BUCKETS)
def test_each_bar_leads_to_as_many_as_it_counts(viewer, spread, name):
    text = viewer.get(f"/?per={name}").content.decode()
    links = LINK.findall(text)
    assert links
    for url, number in links:
        answer = viewer.get(unescape(url))
        assert f"{number} matching" in answer.content.decode(), url
    assert sum(int(number) for _url, number in links) == sum(row["count"] for row in buckets_of(name))


def buckets_of(name):
    from dlqconsole.engine.access_scope import EVERYTHING, asking_as

    with asking_as(EVERYTHING):
        return buckets.counts(BUCKETS[name])


def test_every_span_is_counted_by_its_own_number_of_bars(spread):
    for bucket in BUCKETS.values():
        rows = buckets_of(bucket.name)
        since = rows[0]["start"]
        assert len(rows) == bucket.number
        assert all(row["end"] - row["start"] == bucket.length for row in rows)
        assert sum(row["count"] for row in rows) == value(
            "SELECT count(*) FROM dlq_events WHERE created_at >= %s", since
        )


def test_a_week_begins_on_monday():
    assert {row["start"].weekday() for row in buckets_of("1w")} == {0}


def test_an_unknown_bucket_is_an_hour(viewer, spread):
    assert "Dead letters per hour" in viewer.get("/?per=1y").content.decode()


def test_who_sees_some_sees_bars_of_that(letter):
    letter(event_type="order.created")
    letter(event_type="billing.failed")
    person = limited("viewer", [("billing.*", "*")])
    for name in BUCKETS:
        [(url, number)] = LINK.findall(person.get(f"/?per={name}").content.decode())
        assert (number, "1 matching" in person.get(unescape(url)).content.decode()) == ("1", True)
