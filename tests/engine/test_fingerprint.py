"""Which failures are one group."""

import pytest
from django.db import connection

from dlqconsole.engine.models import DeadLetter, FailureGroup


def normalised(reason):
    with connection.cursor() as cursor:
        cursor.execute("SELECT dead_letter_message(%s), dead_letter_error_class(%s)", [reason, reason])
        return cursor.fetchone()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reason", "message", "error_class"),
    [
        (
            "PlaneUnknown: tailnum N725MQ is not in the planes table",
            "PlaneUnknown: tailnum <value> is not in the planes table",
            "PlaneUnknown",
        ),
        (
            "AirportUnknown: dest SJU is not in the airports table",
            "AirportUnknown: dest <code> is not in the airports table",
            "AirportUnknown",
        ),
        (
            "WeatherMissing: no observation at JFK for 2013-01-01T05:00:00Z",
            "WeatherMissing: no observation at <code> for <value>",
            "WeatherMissing",
        ),
        ("connection refused: billing", "connection refused: billing", ""),
        (
            "psycopg.errors.UniqueViolation: key 'a' exists",
            "psycopg.errors.UniqueViolation: key <value> exists",
            "psycopg.errors.UniqueViolation",
        ),
        ("ValueError", "ValueError", "ValueError"),
        ("", "", ""),
        (
            "Timeout: 3fa85f64-5717-4562-b3fc-2c963f66afa6 after 30.5s",
            "Timeout: <value> after <value>",
            "Timeout",
        ),
        ("Error: first line\nsecond line 7", "Error: first line", "Error"),
    ],
)
def test_the_variable_parts_of_a_reason_are_taken_out(reason, message, error_class):
    assert normalised(reason) == (message, error_class)


@pytest.mark.django_db
def test_one_cause_is_one_group_however_many_values_it_has():
    DeadLetter.objects.bulk_create(
        DeadLetter(
            event_type="flight.departed",
            source="flights",
            source_key=str(number),
            error_category="BUSINESS",
            error_reason=f"PlaneUnknown: tailnum N{number}MQ is not in the planes table",
        )
        for number in range(50)
    )
    group = FailureGroup.objects.get()
    assert group.message == "PlaneUnknown: tailnum <value> is not in the planes table"
    assert DeadLetter.objects.filter(group_id=group.pk).count() == 50


@pytest.mark.django_db
def test_a_new_reason_moves_a_dead_letter_to_its_group():
    letter = DeadLetter.objects.create(event_type="x", source="s", source_key="1", error_reason="Down: one")
    DeadLetter.objects.filter(pk=letter.pk).update(error_reason="Bad: two")
    letter.refresh_from_db()
    assert FailureGroup.objects.get(pk=letter.group_id).error_class == "Bad"
