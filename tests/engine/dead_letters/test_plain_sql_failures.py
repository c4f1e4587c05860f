"""Whoever reports failures by plain SQL, however he writes them, loses none and leaves none closed."""

import pytest
from django.db import IntegrityError, transaction

from dlqconsole.engine.models import Attempt, DeadLetter, PayloadVersion
from tests.moving import bring_to
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db

UPSERT = """
    INSERT INTO dlq_events AS d (event_type, payload, error_reason, source, source_key)
    VALUES ('order.created', '{"n": 1}', %s, 'shop', '7')
    ON CONFLICT (source, source_key) DO UPDATE
    SET error_reason = excluded.error_reason, occurrences = d.occurrences + 1
"""


def kept() -> list[str]:
    """The reasons of its attempts in order, and the one that the dead letter shows."""
    reasons = Attempt.objects.order_by("finished_at", "id").values_list("error_reason", flat=True)
    return [*reasons, DeadLetter.objects.get().error_reason]


def test_failures_without_a_time_of_their_own_are_all_kept():
    said = ["refused", "timeout"] * 3
    for reason in said:
        execute(UPSERT, reason)
    assert kept() == said
    times = list(Attempt.objects.order_by("id").values_list("finished_at", flat=True))
    assert len({*times, DeadLetter.objects.get().last_failure_at}) == 6, "each failed at a time of its own"


@pytest.mark.parametrize("moment", ["now()", "now() - interval '1 hour'"])
def test_neither_the_beginning_of_a_transaction_nor_a_slow_clock_hides_a_failure(letter, moment):
    letter(error_reason="refused")
    for reason in ("timeout", "refused", "timeout"):
        execute(f"UPDATE dlq_events SET error_reason = %s, last_failure_at = {moment}", reason)
    assert kept() == ["refused", "timeout", "refused", "timeout"]


def test_who_only_counts_retries_reports_failures_too(letter):
    letter(error_reason="refused")
    for _ in range(3):
        execute("UPDATE dlq_events SET retry_count = retry_count + 1, last_failure_at = clock_timestamp()")
    assert kept() == ["refused"] * 4


def test_another_category_is_what_the_error_says_now(letter):
    letter(error_category="TRANSIENT")
    execute("UPDATE dlq_events SET error_category = 'PERMANENT'")
    assert Attempt.objects.get().error_category == "TRANSIENT"


def test_the_first_failure_gets_no_later(letter):
    letter()
    execute("UPDATE dlq_events SET first_failure_at = first_failure_at - interval '1 day'")
    with pytest.raises(IntegrityError, match="first_failure_at never gets later"), transaction.atomic():
        execute("UPDATE dlq_events SET first_failure_at = clock_timestamp()")


@pytest.mark.parametrize("status", ["SUCCEEDED", "DISCARDED"])
def test_what_was_closed_and_fails_again_is_open_and_says_so(status):
    execute(UPSERT, "refused")
    bring_to(status)
    execute(UPSERT, "timeout")
    assert DeadLetter.objects.get().status == "PENDING"
    execute(UPSERT, "refused again")
    told = list(Attempt.objects.order_by("finished_at", "id").values_list("error_reason", "reopened_from"))
    assert told == [("refused", ""), ("timeout", status)]


def test_what_is_under_way_stays_under_way():
    execute(UPSERT, "refused")
    execute("SELECT dead_letter_revive(id) FROM dlq_events")
    execute(UPSERT, "timeout")
    assert DeadLetter.objects.get().status == "REVIVED"
    assert kept() == ["refused", "timeout"]


def test_a_payload_that_is_written_over_is_a_version(letter):
    letter(payload={"n": 1})
    execute("UPDATE dlq_events SET payload = '{\"n\": 1.0}'")
    execute("UPDATE dlq_events SET payload = payload, headers = headers")
    execute("""UPDATE dlq_events SET headers = '{"trace": "b"}'""")
    versions = PayloadVersion.objects.order_by("number")
    assert [str(version.payload["n"]) for version in versions] == ["1", "1.0", "1.0"]
    assert versions[2].headers == {"trace": "b"}
    assert versions[0].actor == ""
    assert versions[1].actor.startswith("sql:")
    assert DeadLetter.objects.get().payload_version == 2


def test_the_failure_that_was_told_first_is_never_folded(letter):
    letter(error_reason="THE VERY FIRST")
    number = DeadLetter.objects.get().pk
    execute(
        "INSERT INTO dlq_attempts (dlq_event_id, kind, outcome, error_reason)"
        " VALUES (%s, 'queue', 'failed', 'THE VERY FIRST')",
        number,
    )
    for pace in ("- interval '10 minutes'", "+ interval '10 minutes'"):
        execute(
            "INSERT INTO dlq_attempts (dlq_event_id, kind, outcome, error_reason, started_at, finished_at)"
            f" SELECT %s, 'queue', 'failed', 'number ' || n, m.at, m.at FROM generate_series(1, 80) n,"
            f" LATERAL (SELECT now() {pace} + make_interval(secs => n) AS at) m",
            number,
        )
    assert Attempt.objects.filter(error_reason="THE VERY FIRST").exists()
    assert Attempt.objects.count() <= 101
    assert sum(Attempt.objects.values_list("stands_for", flat=True)) == 161


def test_folding_keeps_apart_what_succeeded_and_what_was_opened_again(letter):
    number = letter()
    execute(
        "INSERT INTO dlq_attempts (dlq_event_id, kind, outcome, reopened_from, started_at, finished_at)"
        " SELECT %s, 'queue', CASE n WHEN 50 THEN 'succeeded' ELSE 'failed' END,"
        " CASE n WHEN 60 THEN 'DISCARDED' ELSE '' END, m.at, m.at FROM generate_series(1, 150) n,"
        " LATERAL (SELECT now() + make_interval(secs => n) AS at) m",
        number,
    )
    folded = Attempt.objects.filter(kind="folded").order_by("stands_for")
    assert {(row.outcome, row.reopened_from, row.stands_for) for row in folded} == {
        ("succeeded", "", 1),
        ("failed", "DISCARDED", 1),
        ("failed", "", 69),
    }


def test_a_count_that_cannot_go_on_is_refused_where_it_comes_in(letter):
    letter()
    for change in (
        "UPDATE dlq_events SET occurrences = 2147483647",
        "UPDATE dlq_events SET retry_count = 2147483647",
        "UPDATE dlq_events SET crash_count = 32767",
        "INSERT INTO dlq_events (event_type, payload, version) VALUES ('order.created', '{}', 2147483647)",
        "INSERT INTO message_queue (queue, payload, retry_count) VALUES ('orders', '{}', 2147483647)",
        "INSERT INTO message_queue (queue, payload, retry_count) VALUES ('orders', '{}', -5)",
        "INSERT INTO message_queue (queue, payload, crash_count) VALUES ('orders', '{}', -1)",
        "INSERT INTO message_queue (queue, payload, status) VALUES ('orders', '{}', 'waiting')",
    ):
        with (
            pytest.raises(IntegrityError, match=r"dlq_events_counts|message_queue_|counter_in_bounds"),
            transaction.atomic(),
        ):
            execute(change)


def test_a_rule_made_after_the_first_failure_holds_for_the_next_in_the_same_words():
    execute(UPSERT, "refused")
    execute(
        "INSERT INTO failure_rules (position, name, pattern, category, overrides)"
        " VALUES (9, 'late', 'refused', 'PERMANENT', true)"
    )
    execute(UPSERT, "refused")
    letter = DeadLetter.objects.get()
    assert (letter.error_category, letter.said_category) == ("PERMANENT", "UNKNOWN")
    execute("DELETE FROM failure_rules")
    execute(UPSERT, "refused")
    letter.refresh_from_db()
    assert (letter.error_category, letter.said_category) == ("UNKNOWN", None)


def test_what_a_person_decided_stays_when_it_fails_in_the_same_words():
    execute(UPSERT, "refused")
    execute("SELECT reclassify_dead_letters(ARRAY(SELECT id FROM dlq_events), 'BUSINESS')")
    execute(UPSERT, "refused")
    assert DeadLetter.objects.get().error_category == "BUSINESS"
