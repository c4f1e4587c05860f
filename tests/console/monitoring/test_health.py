"""/healthz and /readyz: open to strangers, without data, and each check apart from the others."""

import pytest
from django.db import OperationalError, connection, transaction

from dlqconsole.console.monitoring import checks as our_checks
from dlqconsole.console.monitoring import views
from dlqconsole.console.monitoring.checks import NotReady

pytestmark = pytest.mark.django_db


@pytest.fixture
def checks(monkeypatch):
    made = {}
    monkeypatch.setattr(views, "_checks", lambda: made)
    return made


def lines(answer):
    return answer.status_code, answer.content.decode().splitlines()


def fails(error):
    def check():
        raise error

    return check


def test_what_is_said_alone_keeps_nobody_from_work(client, checks):
    checks["one"] = lambda: ["something is odd"]
    assert lines(client.get("/healthz")) == (200, ["ok", "something is odd"])
    assert lines(client.get("/readyz")) == (200, ["ready", "something is odd"])


def test_what_is_not_ready_is_no_reason_to_start_anew(client, checks):
    checks["one"] = fails(NotReady("the disk is full"))
    checks["two"] = lambda: ["all else is well"]
    assert lines(client.get("/healthz")) == (200, ["ok", "the disk is full", "all else is well"])
    assert lines(client.get("/readyz")) == (503, ["not ready", "the disk is full", "all else is well"])


def test_a_check_that_fails_takes_no_other_with_it(client, checks):
    checks["one"] = fails(OperationalError("secret"))
    checks["two"] = lambda: ["all else is well"]
    assert lines(client.get("/healthz")) == (
        200,
        ["ok", "the check one could not be made", "all else is well"],
    )


def test_who_may_not_read_the_tables_is_not_ready(client, checks):
    def check():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL ROLE pg_monitor")
            cursor.execute("SELECT FROM dlq_events")

    checks["one"] = check
    sentence = "the check one could not be made: the database refuses it its tables; see manage.py grants"
    assert lines(client.get("/readyz")) == (503, ["not ready", sentence])


def test_a_database_without_our_tables_is_not_ready(client):
    assert client.get("/readyz").status_code == 200
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app IN ('dlq_tables', 'sessions')")
        number = cursor.rowcount
    said = (
        f"the schema public of the database lacks {number} migrations of this version: run manage.py migrate"
    )
    status, words = lines(client.get("/readyz"))
    assert status == 503
    assert said in words
    assert client.get("/healthz").status_code == 200


def test_a_database_that_takes_no_changes_is_not_ready(client):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL transaction_read_only = on")
    status, words = lines(client.get("/readyz"))
    assert status == 503
    assert our_checks.READ_ONLY in words
    assert client.get("/healthz").status_code == 200


def test_a_broker_that_is_away_is_said_and_keeps_nobody_from_work(client, settings):
    our_checks._redis.cache_clear()
    assert not list(our_checks.broker())
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    our_checks._redis.cache_clear()
    try:
        status, words = lines(client.get("/readyz"))
    finally:
        our_checks._redis.cache_clear()
    assert status == 200
    assert (
        "the broker (Redis) does not answer: what runs goes on, what is new begins when it is back" in words
    )
