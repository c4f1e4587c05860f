"""A dead letter's page tells its story from the first failure to now."""

import re

import pytest
from django.utils.html import strip_tags

from dlqconsole.core import messages
from dlqconsole.engine.models import Attempt, AuditEntry
from tests.plain_sql import execute, value
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db


def told(client, number):
    """The entries of the story, each as one line."""
    page = client.get(f"/dead-letters/{number}/").content.decode()
    story = page.split('id="dl-story"')[1].split("</section>")[0]
    return [" ".join(strip_tags(entry).split()) for entry in re.split(r"<li[ >]", story)[1:]]


def failed(number, seconds, reason, *, kind="schedule", trace="", worker="w:1"):
    """It fails so many seconds after its last failure, as whoever retries it would write it down."""
    execute(
        "UPDATE dlq_events SET occurrences = occurrences + 1, error_reason = %s, error_stacktrace = %s,"
        " last_failure_at = last_failure_at + make_interval(secs => %s) WHERE id = %s",
        *(reason, trace, seconds, number),
    )
    execute(
        "INSERT INTO dlq_attempts (dlq_event_id, kind, outcome, error_reason, error_category,"
        " error_stacktrace, worker, started_at, finished_at)"
        " SELECT id, %s, 'failed', error_reason, 'TRANSIENT', error_stacktrace, %s,"
        " last_failure_at - interval '20 ms', last_failure_at FROM dlq_events WHERE id = %s",
        *(kind, worker, number),
    )


def test_what_another_program_reported_is_its_beginning(viewer, letter):
    number = letter(error_reason="Refused: no", error_stacktrace="at charge()")
    first, now = told(viewer, number)
    assert "First failure reported by another program" in first
    assert "Refused: no" in first
    assert "at charge()" in first
    assert now.startswith('id="dl-now"> Now') or "Now" in now


def test_attempts_that_say_the_same_are_one_entry(viewer, letter):
    number = letter(error_reason="Timeout: 1")
    for place in range(5):
        failed(number, 1, "Timeout: 1", worker=f"w:{place % 2}")
    failed(number, 1, "Refused: no", trace="at pay()")
    _reported, same, other, _now = told(viewer, number)
    assert "Failed 5 times by the schedule" in same
    assert "The same reason as before." in same
    assert "w:0" in same
    assert "w:1" in same
    assert "Refused: no" in other
    assert "at pay()" in other


def test_a_reason_and_a_trace_are_not_said_twice(viewer, letter):
    number = letter()
    failed(number, 1, "Timeout: 1", trace="at pay()")
    failed(number, 2, "Timeout: 1", trace="at pay()", kind="operation")
    second = told(viewer, number)[-2]
    assert "by an operation" in second
    assert "The same reason as before." in second
    assert "The same trace as before." in second


def test_what_people_did_stands_between(operator, letter):
    number = letter()
    AuditEntry.objects.create(
        actor="user:ann", action="edit", target=f"dead_letter:{number}", reason="a typo"
    )
    failed(number, 3600, "Refused: again")
    lines = told(operator, number)
    assert ["a typo" in line for line in lines] == [False, True, False, False]


def test_four_and_two_hundred_and_forty_attempts_are_counted(viewer, letter):
    for number, tries in ((letter(), 4), (letter(), 240)):
        for place in range(tries):
            failed(number, 1, f"Timeout: {place}")
        page = viewer.get(f"/dead-letters/{number}/").content.decode()
        assert f'title="attempts">{tries + 1}<' in page
        assert Attempt.objects.filter(dlq_event_id=number).count() <= 100
    assert any("are folded" in line for line in told(viewer, number))


def test_another_event_under_its_id_is_a_click_away(viewer, letter):
    first, second = letter(), letter()
    execute("UPDATE dlq_events SET same_id_as = %s WHERE id = %s", first, second)
    assert (
        f'<a href="/dead-letters/{second}/">{second}</a>, with other bytes'
        in viewer.get(f"/dead-letters/{first}/").content.decode()
    )
    assert (
        f'<a href="/dead-letters/{first}/">{first}</a>'
        in viewer.get(f"/dead-letters/{second}/").content.decode()
    )


def test_what_was_closed_says_that_it_is_open_again(viewer, letter):
    number = letter()
    failed(number, 1, "Refused: no")
    Attempt.objects.update(reopened_from="DISCARDED")
    assert any("is open again: the same event failed" in line for line in told(viewer, number))


def test_a_revival_whose_message_somebody_deleted_says_so(viewer, letter):
    number = letter(queue="q", status="EXHAUSTED")
    execute("SELECT dead_letter_revive(%s)", number)
    message = value("SELECT id FROM message_queue")
    execute("DELETE FROM message_queue")
    *_earlier, gone, now = told(viewer, number)
    assert "Its message is gone revived, on its queue" in gone
    assert f"MessageDeleted: {value('SELECT session_user::text')}" in gone
    assert f"q/{message}, which nobody held" in gone
    assert "Exhausted" in now


def test_a_revival_that_was_completed_elsewhere_says_by_whom(viewer, letter):
    number = letter(queue="q")
    execute("SELECT dead_letter_revive(%s)", number)
    messages.complete(messages.claim("q", 1, "ann's own consumer", 60))
    succeeded = told(viewer, number)[-2]
    assert "Succeeded" in succeeded
    assert "Completed by its consumer, without a handler of ours" in succeeded
    assert "ann&#x27;s own consumer" in succeeded


def fact(client, number, name):
    """The facts about it, as one line."""
    page = client.get(f"/dead-letters/{number}/").content.decode()
    said = page.split(f"<dt>{name}</dt>")[1].split("</dd>")[0]
    return " ".join(strip_tags(said).split())


def test_what_stands_between_is_counted_by_attempts(viewer, letter):
    """Shown and folded together are the number on the badge."""
    number = letter()
    for place in range(17):
        for _same in range(2):
            failed(number, 1, f"Timeout: {place}")
    lines = told(viewer, number)
    [between] = [line for line in lines if "between them" in line]
    assert "12 attempts between them" in between
    outside = [line for line in lines if re.search(r"Failed 2 times|First failure", line)]
    assert len(outside) == 18
    assert 'title="attempts">35<' in viewer.get(f"/dead-letters/{number}/").content.decode()


def test_a_first_failure_keeps_its_name_and_no_others_duration(viewer, letter):
    number = letter(error_reason="Timeout: 1", first_failure_at="2026-01-01", last_failure_at="2026-01-01")
    failed(number, 1, "Timeout: 1")
    Attempt.objects.filter(kind="reported").delete()
    assert "First failure by the schedule, after 0.020 s" in told(viewer, number)[0]
    failed(number, 1, "Timeout: 1")
    first = told(viewer, number)[0]
    assert "First failure: failed 2 times by the schedule, until" in first
    assert "after" not in first


def test_how_often_it_failed_is_one_number_with_its_parts(viewer, letter):
    number = letter(retry_count=5, retry_after="2090-01-01")
    for kind in ("queue", "queue", "queue", "schedule", "schedule"):
        failed(number, 1, "Timeout: 1", kind=kind)
    Attempt.objects.filter(kind="reported").delete()
    assert fact(viewer, number, "Failed") == "5 times: 3 on its queue, 2 by the schedule"
    assert fact(viewer, number, "Tries").startswith("5 of 240")
    assert 'title="attempts">5<' in viewer.get(f"/dead-letters/{number}/").content.decode()
    assert fact(viewer, letter(), "Failed") == "once reported by another program"


def test_a_failure_of_the_future_has_a_date(viewer, letter):
    number = letter(last_failure_at="2998-12-31 23:00+00", first_failure_at="2998-12-31 23:00+00")
    assert fact(viewer, number, "First failure") == "2998-12-31"
    assert told(viewer, number)[0].startswith("2998-12-31")


def same_event_succeeded(number, ago):
    execute(
        "INSERT INTO enriched_events (event_type, source, source_key, record, created_at)"
        " SELECT event_type, source, source_key, '{}', now() - %s::interval FROM dlq_events WHERE id = %s",
        *(ago, number),
    )


def test_an_event_that_succeeded_after_it_failed_says_so(viewer, letter):
    number = letter(last_failure_at="2026-01-01", first_failure_at="2026-01-01")
    same_event_succeeded(number, "1 h")
    same = value("SELECT id FROM enriched_events")
    _first, succeeded, _now = told(viewer, number)
    assert f"The same event succeeded Its record is kept (enriched_events {same:,})." in succeeded
    assert "nothing may be left to do" in viewer.get(f"/dead-letters/{number}/").content.decode()


def test_a_record_from_before_the_failure_says_so(viewer, letter):
    number = letter()
    same_event_succeeded(number, "1 h")
    succeeded, first, _now = told(viewer, number)
    assert "The same event succeeded" in succeeded
    assert "First failure" in first
    page = viewer.get(f"/dead-letters/{number}/").content.decode()
    assert "A record of this event was there before: a retry that succeeds does not replace it." in page


def test_its_own_success_is_told_once(viewer, letter):
    number = letter(status="SUCCEEDED")
    same_event_succeeded(number, "0 s")
    execute(
        "INSERT INTO dlq_attempts (dlq_event_id, kind, outcome, started_at, finished_at)"
        " SELECT %s, 'schedule', 'succeeded', created_at - interval '1 s', created_at + interval '1 s'"
        " FROM enriched_events",
        number,
    )
    lines = told(viewer, number)
    assert not any("The same event" in line for line in lines)
    assert any("Succeeded by the schedule" in line for line in lines)
