"""The ingest asks the breakers that everybody asks, and tells them: twenty events meet an outage, not all."""

import pytest

from tests.pipeline.hostile import event

pytestmark = pytest.mark.django_db(transaction=True)


def test_after_twenty_failures_no_handler_is_called_and_nothing_is_lost(ingest_here, rows):
    ingest_here(*(event(str(n), do="dependency") for n in range(120)))
    found = rows(
        "SELECT error_class, status, retry_count, count(*) AS n FROM dlq_events GROUP BY 1, 2, 3 ORDER BY 1"
    )
    assert [(row["error_class"], row["status"], row["retry_count"], row["n"]) for row in found] == [
        ("BillingAway", "PENDING", 0, 20),
        ("BreakerOpen", "PENDING", 0, 100),
    ]
    [breaker] = rows("SELECT key, state, only_again, event_types FROM breakers")
    assert breaker == {
        "key": "type:order.created",
        "state": "open",
        "only_again": False,
        "event_types": ["order.created"],
    }
    [reason] = rows("SELECT DISTINCT error_reason FROM dlq_events WHERE error_class = 'BreakerOpen'")
    assert reason["error_reason"] == (
        "BreakerOpen: its handler was not called, because the breaker type:order.created is open:"
        " BillingAway: billing answered 503"
    )


def test_an_open_breaker_is_asked_first_and_one_event_tries_when_it_is_time(ingest_here, rows):
    rows(
        "INSERT INTO breakers (key, state, next_probe_at, reason)"
        " VALUES ('type:order.created', 'open', now() + interval '1 hour', 'BillingAway: 503')"
    )
    ingest_here(*(event(f"a{n}", order_id=n) for n in range(5)))
    assert rows("SELECT count(*) AS n FROM enriched_events") == [{"n": 0}]
    rows("UPDATE breakers SET next_probe_at = now()")
    ingest_here(*(event(f"b{n}", order_id=n) for n in range(5)))
    assert rows("SELECT count(*) AS n FROM enriched_events") == [{"n": 5}]
    assert rows("SELECT state FROM breakers") == [{"state": "closed"}]


def test_data_that_is_missing_opens_nothing(ingest_here, rows):
    ingest_here(*(event(str(n), do="missing") for n in range(60)))
    assert rows("SELECT error_class, count(*) AS n FROM dlq_events GROUP BY 1") == [
        {"error_class": "RateMissing", "n": 60}
    ]
