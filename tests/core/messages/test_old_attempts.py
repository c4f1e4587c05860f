"""Failed tries whose message succeeded in the end are let go of; what belongs to a story is kept."""

import pytest

from dlqconsole.core import messages
from dlqconsole.core.messages import archives
from dlqconsole.core.messages.archives import forget_old_attempts, forget_old_reports
from dlqconsole.engine.models import Attempt
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db


def attempt(message: str, days: int, letter: int | None = None) -> int:
    return value(
        "INSERT INTO dlq_attempts (dlq_event_id, message, kind, outcome, started_at, finished_at)"
        " SELECT %s, %s, 'queue', 'failed', m.at, m.at"
        " FROM (SELECT now() - make_interval(days => %s) AS at) m"
        " RETURNING id",
        letter,
        message,
        days,
    )


def kept() -> set[int]:
    return set(Attempt.objects.values_list("id", flat=True))


def test_what_is_old_and_belongs_to_nothing_goes():
    gone = {attempt("orders/1", 31), attempt("pgmq:orders/77", 31), attempt("", 31)}
    young = {attempt("orders/2", 29), attempt("pgmq:orders/78", 29)}
    assert forget_old_attempts(30) == len(gone)
    assert kept() == young


def test_the_tries_of_a_message_that_still_waits_are_kept_however_old():
    waiting = messages.send("orders", "{}")
    here, elsewhere = attempt(f"orders/{waiting}", 400), attempt(f"parcels/{waiting}", 400)
    assert forget_old_attempts(30) == 1
    assert kept() == {here}, f"{elsewhere} was of another queue's message of that number"


def test_a_dead_letters_attempts_are_its_story():
    story = attempt("orders/1", 400, letter=5)
    assert forget_old_attempts(30) == 0
    assert kept() == {story}


def test_what_must_stay_does_not_hide_what_may_go(monkeypatch):
    monkeypatch.setattr(archives, "PAGE", 2)
    for _ in range(5):
        attempt(f"orders/{messages.send('orders', '{}')}", 90)
    for number in range(3):
        attempt(f"parcels/{number + 1_000_000}", 60)
    assert forget_old_attempts(30) == 3


def test_the_id_of_a_report_is_let_go_of_with_them():
    execute(
        "INSERT INTO failure_reports (id, digest, dlq_event_id, reported_at)"
        " SELECT gen_random_uuid(), gen_random_uuid(), 1, now() - make_interval(days => days)"
        " FROM unnest(ARRAY[29, 31, 90]) days"
    )
    assert forget_old_reports(30) == 2
