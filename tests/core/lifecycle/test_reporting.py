"""Plain SQL reports failures: one row an event, every failure an attempt, no payload lost."""

import json
from functools import partial
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from dlqconsole.engine.models import Attempt, DeadLetter, FailureRule
from tests.plain_sql import execute, value
from tests.threads import at_once

pytestmark = pytest.mark.django_db

EVENT = {"specversion": "1.0", "id": "e1", "source": "shop", "type": "order.created", "data": {"order_id": 1}}


def report(payload=EVENT, reason="Refused: billing said no", **given):
    """The dead letter, as another language would have it kept."""
    more = "".join(f", {name} => %s" for name in given)
    return DeadLetter.objects.get(
        pk=value(
            f"SELECT dead_letter_report('order.created', %s, %s{more})",
            json.dumps(payload),
            reason,
            *given.values(),
        )
    )


def reasons(letter):
    found = Attempt.objects.filter(dlq_event_id=letter.pk).order_by("id")
    return list(found.values_list("kind", "error_reason", "reopened_from"))


def test_an_event_that_fails_twice_is_one_row_with_both_failures():
    first = report()
    assert first.first_failure_at == first.last_failure_at
    again = report(reason="Timeout: billing slept", error_stacktrace="at work", error_category="TRANSIENT")
    assert (again.pk, again.source, again.source_key, again.occurrences) == (first.pk, "shop", "e1", 2)
    assert (again.error_reason, again.error_category, again.status) == (
        "Timeout: billing slept", "TRANSIENT", "PENDING",
    )  # fmt: skip
    assert again.first_failure_at == first.first_failure_at < again.last_failure_at
    assert reasons(again) == [
        ("reported", "Refused: billing said no", ""),
        ("reported", "Timeout: billing slept", ""),
    ]


def test_plain_data_is_named_by_who_reports_it():
    rows = [report({"order_id": 1}, source="billing", source_key="7") for _ in range(2)]
    assert [(row.source, row.source_key, row.occurrences) for row in rows] == [
        ("billing", "7", 1), ("billing", "7", 2),
    ]  # fmt: skip
    unnamed = [report(data) for data in ({"order_id": 1}, {"order_id": 1}, ["specversion"])]
    assert len({row.pk for row in unnamed}) == 3
    assert [row.source_key for row in unnamed] == [f"dlq_events/{row.pk}" for row in unnamed]


def test_other_bytes_under_the_same_id_are_a_row_of_their_own():
    first = report()
    other = report(EVENT | {"data": {"order_id": 2}})
    assert (other.same_id_as, other.source) == (first.pk, "shop")
    assert other.source_key.startswith("e1:")
    assert report(EVENT | {"data": {"order_id": 2}}).occurrences == 2
    assert report().pk == first.pk


@pytest.mark.parametrize("status", ["SUCCEEDED", "DISCARDED"])
def test_what_was_closed_is_open_again_and_says_so(letter, status):
    closed = letter(payload=EVENT, source="shop", source_key="e1", status=status)
    again = report(retry_in="1 hour")
    assert (again.pk, again.status) == (closed, "PENDING")
    assert 3590 < (again.retry_after - again.last_failure_at).total_seconds() < 3610
    assert reasons(again)[-1] == ("reported", "Refused: billing said no", status)


def test_what_is_under_way_keeps_its_error_and_the_failure_is_told(letter):
    named = {"payload": EVENT, "source": "shop", "source_key": "e1"}
    letter(**named, status="RETRYING", error_reason="Old: one")
    again = report()
    assert (again.status, again.error_reason, again.occurrences) == ("RETRYING", "Old: one", 2)
    assert reasons(again)[-1] == ("reported", "Refused: billing said no", "")


def test_what_the_error_said_is_kept_beside_what_a_rule_says():
    rule = {"name": "a test", "event_type": "order.*", "category": "PERMANENT", "overrides": True}
    FailureRule.objects.create(**rule, position=1)
    report(error_category="TRANSIENT")
    again = report(reason="Timeout: billing slept", error_category="TRANSIENT")
    assert (again.error_category, again.said_category) == ("PERMANENT", "TRANSIENT")


def test_nobody_reports_who_may_not(letter):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT bool_or(grantee = 0) FROM pg_proc, aclexplode(proacl)"
            " WHERE proname = 'dead_letter_report'"
        )
        assert cursor.fetchone() == (False,)


@pytest.mark.django_db(transaction=True)
def test_reporters_of_other_bytes_at_once_are_all_heard():
    def report(number):
        for key in range(10):
            execute(
                "SELECT dead_letter_report('a.b', %s, 'no', source => 'shop', source_key => %s)",
                f'{{"n": {number}}}',
                str(key),
            )

    at_once([partial(report, number) for number in range(4)])
    assert DeadLetter.objects.count() == 40


def test_a_report_that_is_sent_again_counts_once():
    first, number = report(), uuid4()
    again = [report(reason="Timeout: x", report_id=number) for _ in range(3)]
    assert {letter.pk for letter in again} == {first.pk}
    assert (again[-1].occurrences, reasons(first)[1:]) == (2, [("reported", "Timeout: x", "")])


def test_a_report_counts_once_when_its_attempt_is_folded():
    number = uuid4()
    for place in range(150):
        report(report_id=number if place == 50 else uuid4())
    assert report(report_id=number).occurrences == 150


def test_the_id_of_a_report_is_no_other_failures():
    number = uuid4()
    report(report_id=number)
    with pytest.raises(IntegrityError, match=f"report {number} was another failure"), transaction.atomic():
        report(EVENT | {"id": "e2"}, report_id=number)
    assert DeadLetter.objects.get().occurrences == 1


@pytest.mark.django_db(transaction=True)
def test_a_report_that_is_sent_twice_at_once_counts_once():
    numbers = [uuid4() for _ in range(10)]

    def send():
        return [report(report_id=number).pk for number in numbers]

    answers = at_once([send] * 4)
    assert all(answer == answers[0] for answer in answers)
    assert DeadLetter.objects.get().occurrences == len(numbers)


def test_what_is_not_said_has_its_usual_value_and_no_category_is_made_up():
    with connection.cursor() as cursor:
        cursor.execute("SELECT dead_letter_report('a.b', '{}', NULL, headers => NULL, retry_in => NULL)")
        with pytest.raises(IntegrityError, match="'transient' is none of"), transaction.atomic():
            cursor.execute("SELECT dead_letter_report('a.b', '{}', 'no', error_category => 'transient')")
    assert DeadLetter.objects.get().headers == {}
