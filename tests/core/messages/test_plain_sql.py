"""Plain SQL from any language is a first-class client: the statements that others lean on."""

from pathlib import Path

import pytest
from django.db import DataError, IntegrityError, connection, transaction

from dlqconsole.engine.models import DeadLetter, FailureGroup, Message
from tests.moving import bring_to
from tests.plain_sql import execute, value
from tests.threads import at_once

ROOT = Path(__file__).parents[3]
INSERT_DEAD_LETTER = """
    INSERT INTO dlq_events
        (event_type, payload, error_reason, error_stacktrace, status, retry_count, retry_after)
    VALUES
        ('order.created', '{"order_id": 1}', 'connection refused: billing', 'Traceback', 'PENDING', 0, now())
    RETURNING id
"""


@pytest.mark.django_db
def test_a_message_needs_only_its_queue_and_payload():
    execute("INSERT INTO message_queue (queue, payload) VALUES ('orders', '{\"order_id\": 1}')")
    message = Message.objects.get()
    assert (message.status, message.retry_count, message.headers) == ("pending", 0, {})


@pytest.mark.django_db
def test_a_dead_letter_needs_only_the_columns_of_the_source_design():
    pk = value(INSERT_DEAD_LETTER)
    letter = DeadLetter.objects.get()
    assert (letter.error_category, letter.occurrences, letter.version) == ("UNKNOWN", 1, 1)
    assert (letter.source, letter.source_key) == ("sql", f"dlq_events/{pk}")
    assert FailureGroup.objects.get().pk == letter.group_id


@pytest.mark.django_db
def test_revive_gives_the_message_and_the_second_time_nothing():
    pk = value(INSERT_DEAD_LETTER)
    message_id = value("SELECT dead_letter_revive(%s)", pk)
    assert value("SELECT dead_letter_revive(%s)", pk) is None
    message = Message.objects.get()
    assert (message.pk, message.queue, message.payload) == (message_id, "order.created", {"order_id": 1})
    assert message.headers == {"ce_type": "order.created", "ce_source": "sql", "ce_id": f"dlq_events/{pk}"}


@pytest.mark.django_db
@pytest.mark.parametrize("status", ["SUCCEEDED", "DISCARDED", "RETRYING", "REVIVED"])
def test_what_is_not_revivable_is_not_revived(status):
    pk = value(INSERT_DEAD_LETTER)
    bring_to(status)
    assert value("SELECT dead_letter_revive(%s)", pk) is None
    assert not Message.objects.exists()


@pytest.mark.django_db
def test_reviving_what_does_not_exist_gives_null():
    assert value("SELECT dead_letter_revive(999999)") is None


@pytest.mark.django_db(transaction=True)
def test_eight_sessions_reviving_fifty_dead_letters_make_fifty_messages():
    ids = [value(INSERT_DEAD_LETTER) for _ in range(50)]

    def revive_all():
        return [found for pk in ids if (found := value("SELECT dead_letter_revive(%s)", pk))]

    assert sum(map(len, at_once([revive_all] * 8))) == 50
    assert Message.objects.values("dlq_event_id").distinct().count() == Message.objects.count() == 50


@pytest.mark.django_db
def test_every_change_raises_the_version_whoever_makes_it():
    execute(INSERT_DEAD_LETTER)
    execute("UPDATE dlq_events SET status = 'DISCARDED'")
    assert DeadLetter.objects.get().version == 2


@pytest.mark.django_db
def test_when_it_was_dead_lettered_never_changes():
    execute(INSERT_DEAD_LETTER)
    with pytest.raises(IntegrityError, match="never changes"), transaction.atomic():
        execute("UPDATE dlq_events SET dead_lettered_at = now() - interval '1 day'")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "change",
    [
        "status = 'LOST'",
        "error_category = 'BAD'",
        "retry_after = 'infinity'",
        "created_at = '-infinity'",
        "first_failure_at = '10000-01-01'",
        "retry_count = -1",
        "headers = '[1]'",
    ],
)
def test_a_row_that_would_break_a_page_is_refused(change):
    execute(INSERT_DEAD_LETTER)
    with pytest.raises((IntegrityError, DataError)), transaction.atomic():
        execute(f"UPDATE dlq_events SET {change}")


@pytest.mark.django_db
def test_a_payload_that_is_not_given_is_null_not_a_json_null():
    execute("INSERT INTO dlq_events (event_type, payload_raw) VALUES ('x', '\\xff')")
    assert value("SELECT payload IS NULL FROM dlq_events") is True
    with pytest.raises(IntegrityError, match="has_payload"), transaction.atomic():
        execute("INSERT INTO message_queue (queue) VALUES ('q')")


@pytest.mark.django_db
def test_a_long_incompressible_reason_is_kept():
    import secrets

    reason = f"Failure: {secrets.token_hex(20_000)}"
    execute("INSERT INTO dlq_events (event_type, error_reason) VALUES ('x', %s)", reason)
    assert DeadLetter.objects.get().error_reason == reason


@pytest.mark.django_db
def test_a_shadow_table_cannot_take_the_place_of_ours():
    execute(INSERT_DEAD_LETTER)
    execute("CREATE TEMP TABLE message_queue (LIKE public.message_queue INCLUDING ALL) ON COMMIT DROP")
    execute("SELECT dead_letter_revive(max(id)) FROM dlq_events")
    assert value("SELECT count(*) FROM public.message_queue") == 1
    assert value("SELECT count(*) FROM pg_temp.message_queue") == 0


@pytest.mark.django_db
def test_a_producer_needs_no_right_but_to_insert():
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE producer_of_a_test")
        cursor.execute("GRANT INSERT ON message_queue TO producer_of_a_test")
        cursor.execute("SET LOCAL ROLE producer_of_a_test")
        for _ in range(2):
            cursor.execute(
                "INSERT INTO message_queue (queue, payload, group_key, next_retry_at)"
                " VALUES ('q', '1', 'k', now() + interval '1 hour')"
            )
        cursor.execute("RESET ROLE")
        cursor.execute("SELECT status FROM message_queue ORDER BY id")
        assert cursor.fetchall() == [("scheduled",), ("waiting",)]
