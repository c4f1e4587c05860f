"""/metrics: Prometheus can read it, strangers cannot, and a database in trouble is a sentence."""

import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dlqconsole.core import messages
from dlqconsole.engine.database.sessions import own_connection
from dlqconsole.engine.queues import changes as queues
from dlqconsole.operations.requests.workers import NOBODY
from tests.plain_sql import execute


def scraped(answer):
    """The samples by name and labels, read as Prometheus reads them."""
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


def test_figures_are_what_stands_on_the_queues(viewer, letter):
    for number in range(3):
        messages.send("orders", b"{}", delay=60.0 * (number == 0))
    messages.claim("orders", 1, "me", 60)
    queues.pause("orders", actor="user:ann", reason="x")
    letter(queue="orders", status="EXHAUSTED")
    found = scraped(viewer.get("/metrics"))
    states = {
        state: found["dlq_queue_messages", "orders", state] for state in ("visible", "in_flight", "scheduled")
    }
    assert states == {"visible": 1, "in_flight": 1, "scheduled": 1}
    assert found["dlq_queue_paused", "orders"] == 1
    assert found["dlq_queue_dead_letters", "orders"] == 1
    assert found["dlq_dead_letters", "EXHAUSTED"] == 1
    assert found["dlq_queue_oldest_due_seconds", "orders"] >= 0
    assert found["dlq_database_connections_max",] > 0
    assert ("dlq_database_dead_rows", "message_queue") in found


def test_what_runs_for_long_is_told_here_and_by_healthz(viewer, client, letter):
    assert client.get("/healthz").content.decode().splitlines() == [
        "ok",
        "last tick of the schedule: never",
        "oldest running retry: none",
        f"workers for operations: none, {NOBODY}: nothing is done",
    ]
    messages.send("orders", b"{}")
    messages.claim("orders", 1, "me", 60)
    begun = letter(queue="orders", status="RETRYING")
    execute("UPDATE message_queue SET dequeued_time = now() - interval '50 s'")
    execute("UPDATE dlq_events SET begun_at = now() - interval '500 s' WHERE id = %s", begun)
    execute("INSERT INTO retry_tickers (name, seen_at) VALUES ('tick', now() - interval '300 s')")
    found = scraped(viewer.get("/metrics"))
    assert found["dlq_queue_oldest_in_flight_seconds", "orders"] == pytest.approx(50, abs=9)
    assert found["dlq_dead_letters_oldest_attempt_seconds",] == pytest.approx(500, abs=9)
    assert found["dlq_schedule_last_tick_seconds",] == pytest.approx(300, abs=9)
    page = client.get("/healthz").content.decode()
    assert "s ago: no worker takes them" in page
    assert "s: longer than it may" in page


def test_nothing_is_kept_from_one_scrape_to_the_next(viewer):
    queues.create("orders", actor="user:ann", reason="x")
    assert ("dlq_queue_paused", "orders") in scraped(viewer.get("/metrics"))
    queues.drop("orders", actor="user:ann", reason="x")
    assert ("dlq_queue_paused", "orders") not in scraped(viewer.get("/metrics"))


def test_any_name_is_a_label(viewer):
    names = ['a"b', "a\\b", "a\nb", "é中", "x" * 255]
    for name in names:
        execute("INSERT INTO message_queue (queue, payload) VALUES (%s, '{}')", name)
    found = scraped(viewer.get("/metrics"))
    for name in names:
        assert found["dlq_queue_messages", name, "visible"] == 1


def test_without_a_session_only_the_token_opens_it(client, stranger, settings):
    settings.DLQ_METRICS_TOKEN = ""
    for header in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer x"}, {"Authorization": ""}):
        answer = client.get("/metrics", headers=header)
        assert answer.status_code == 401
        assert "DLQ_METRICS_TOKEN" in answer.content.decode()
    assert stranger.get("/metrics").status_code == 403
    settings.DLQ_METRICS_TOKEN = "long-secret-é"
    for wrong in ("Bearer long-secret", "Basic long-secret-é", "bearer", "Bearer \u00e9\u00e9"):
        assert client.get("/metrics", headers={"Authorization": wrong}).status_code == 401
    assert ("dlq_database_lock_waits",) in scraped(
        client.get("/metrics", headers={"Authorization": "Bearer long-secret-é"})
    )


@pytest.mark.django_db(transaction=True)
def test_a_scrape_that_cannot_be_answered_in_time_is_503_with_a_sentence(client, settings, monkeypatch):
    settings.DLQ_METRICS_TOKEN = "secret"
    monkeypatch.setattr("dlqconsole.console.monitoring.views.LIMIT", 100)
    with own_connection() as other, other.transaction():
        other.execute("LOCK TABLE message_queue IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        answer = client.get("/metrics", headers={"Authorization": "Bearer secret"})
        assert time.monotonic() - began < 5
    assert answer.status_code == 503
    assert answer.content.decode() == (
        "The figures could not be read: the database does not answer, or not in time. Try again.\n"
    )
    assert client.get("/metrics", headers={"Authorization": "Bearer secret"}).status_code == 200
