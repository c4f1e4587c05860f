"""Rehearse: the handlers run, and what they would do is all that is kept."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from dlqconsole.contrib.rehearsals import running
from dlqconsole.contrib.rehearsals import work as rehearsing
from dlqconsole.contrib.rehearsals.models import Prediction
from dlqconsole.contrib.rehearsals.predictions import WRITES
from dlqconsole.core import handling
from dlqconsole.engine import breakers
from dlqconsole.engine.access_scope import AccessScope, asking_as
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import Attempt, DeadLetter, EnrichedEvent
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.requests import service
from dlqconsole.operations.requests.preview import preview
from dlqconsole.operations.requests.scope import Matching
from dlqconsole.operations.work import run
from tests.operations.conftest import ask, counts, statuses, work
from tests.operations.processes import address_here
from tests.plain_sql import column, execute, row

pytestmark = pytest.mark.django_db(transaction=True)


def everything(letters):
    """One of each sort: what succeeds, fails, cannot be read, has no handler, and writes."""
    letters(3, payload='{"order_id": 1}')
    letters(2, payload='{"do": "business"}')
    letters(1, payload='{"do": "write"}')
    letters(1, payload='{"do": "write quietly"}')
    letters(1, event_type="order.unknown")
    letters(1, event_type="order.keyed")
    letters(1, status="SUCCEEDED")


def predicted():
    return {
        (each.would, each.error_class, each.category): each.reason
        for each in Prediction.objects.order_by("dead_letter_id")
    }


def rows_as_they_are():
    return column("SELECT row_to_json(d)::text FROM dlq_events d ORDER BY id")


def test_it_says_what_would_become_of_each_and_changes_none(letters):
    everything(letters)
    before = rows_as_they_are()
    operation = ask("rehearse", filter={}, expected=10)
    work()
    assert counts(operation) == ("completed", 10, 3, 5, 2)
    assert predicted() == {
        ("succeed", "", ""): "",
        ("fail", "PlaneUnknown", "BUSINESS"): "PlaneUnknown: tailnum N1 is not in the planes table",
        ("write", "", ""): WRITES,
        ("unknown", "", ""): "not rehearsed: its handler does not say that it can be",
    }
    reasons = {each.reason for each in receipt.outcomes(operation.pk)}
    assert "has already SUCCEEDED" in reasons
    assert "no handler is declared for event type 'order.unknown'" in reasons
    assert WRITES in reasons
    assert rows_as_they_are() == before
    assert (Attempt.objects.count(), EnrichedEvent.objects.count()) == (0, 0)
    assert not column("SELECT 1 FROM shedlock WHERE name = 'written'")


def test_a_handler_can_leave_out_what_it_does_elsewhere(letters):
    letters(1, payload='{"do": "write", "leaves_out": true}')
    operation = ask("rehearse", filter={})
    work()
    assert counts(operation) == ("completed", 1, 1, 0, 0)


def test_in_processes_of_their_own_neither_writes_nor_deaths_get_out(letters, settings, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", address_here())
    settings.DLQ_HANDLER_TIMEOUT = 4
    settings.DLQ_HANDLER_ISOLATION = "process"
    letters(1, payload='{"order_id": 1}')
    letters(1, payload='{"do": "write"}')
    letters(1, payload='{"do": "crash"}')
    letters(1, payload='{"do": "hang"}')
    letters(1, payload='{"do": "write quietly"}')
    letters(1, payload='{"do": "write elsewhere"}')
    letters(1, payload='{"order_id": 2}')
    operation = ask("rehearse", filter={})
    before = rows_as_they_are()
    with handling.isolated():
        work(90)
    assert counts(operation) == ("completed", 7, 2, 3, 2)
    assert list(Prediction.objects.order_by("dead_letter_id").values_list("would", "error_class")) == [
        ("succeed", ""),
        ("write", ""),
        ("stop", "HandlerDied"),
        ("stop", "HandlerHung"),
        ("write", ""),
        ("write", ""),
        ("succeed", ""),
    ]
    assert rows_as_they_are() == before
    assert not column("SELECT 1 FROM shedlock WHERE name = 'written'")


def test_what_is_refused_and_what_is_not_is_as_the_documents_say(letters, settings, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", address_here())
    settings.DLQ_HANDLER_ISOLATION = "process"
    statements = {
        "SELECT nextval('dlq_events_id_seq')": "write",
        "SELECT id FROM dlq_events FOR UPDATE": "write",
        "CREATE TABLE of_a_handler ()": "write",
        "CREATE TEMP TABLE of_a_handler ()": "write",
        "NOTIFY of_a_handler": "succeed",
        "SELECT pg_advisory_xact_lock(1)": "succeed",
    }
    for statement in statements:
        letters(1, payload=json.dumps({"do": "write elsewhere", "sql": statement}))
    ask("rehearse", filter={})
    with handling.isolated():
        work(90)
    found = Prediction.objects.order_by("dead_letter_id").values_list("would", flat=True)
    assert list(found) == list(statements.values())


def test_in_the_workers_themselves_a_deadly_handler_does_not_stop_one_after_the_other(letters):
    letters(2, payload='{"do": "crash"}')
    operation = ask("rehearse", filter={})
    execute("UPDATE operations SET adoptions = 3")
    work()
    assert counts(operation) == ("completed", 2, 0, 2, 0)
    assert "of which 3 have stopped" in Prediction.objects.first().reason


def test_it_opens_no_breaker_slows_nothing_and_stops_asking_what_is_away(letters, settings):
    settings.DLQ_BREAKER_FAILURES = 5
    letters(30, payload='{"do": "dependency"}')
    operation = ask("rehearse", filter={})
    work()
    assert counts(operation) == ("completed", 30, 0, 25, 5)
    assert not column("SELECT 1 FROM breakers")
    assert not column("SELECT 1 FROM paces")
    assert "5 in a row failed" in receipt.outcomes(operation.pk)[0].reason


def test_what_a_breaker_stops_is_not_run(letters):
    letters(2)
    breakers.hold("type:order.created", "open", datetime.now(UTC) + timedelta(hours=1), "ann", "")
    operation = ask("rehearse", filter={})
    work()
    assert counts(operation) == ("completed", 2, 0, 2, 0)
    assert "breaker of the event type order.created is open" in Prediction.objects.first().reason


def test_what_is_edited_while_its_handler_runs_is_not_told_of(letters, monkeypatch):
    first, second = letters(2)
    original = running.rehearse

    def edit_the_first(stored):
        execute("UPDATE dlq_events SET payload = '{\"order_id\": 9}' WHERE id = %s", first)
        return original(stored)

    monkeypatch.setattr(running, "rehearse", edit_the_first)
    operation = ask("rehearse", filter={})
    work()
    assert counts(operation) == ("completed", 2, 1, 1, 0)
    assert [each.dead_letter_id for each in Prediction.objects.all()] == [second]
    assert "changed since the list was made" in receipt.items(operation.pk)[0].reason


def test_cancelled_in_the_middle_it_keeps_whole_pages_only(letters, monkeypatch):
    letters(10)
    monkeypatch.setattr(rehearsing, "PAGE_ROWS", 4)
    operation = ask("rehearse", filter={})
    original, seen = running.rehearse, []

    def cancel_at_the_sixth(stored):
        seen.append(stored.key)
        if len(seen) == 6:
            service.cancel(operation.pk, "bob")
        return original(stored)

    monkeypatch.setattr(running, "rehearse", cancel_at_the_sixth)
    run.run(operation.pk)
    assert counts(operation) == ("cancelled", 10, 4, 0, 0)
    assert Prediction.objects.count() == 4


def test_the_list_finds_them_by_what_was_said(letters):
    everything(letters)
    operation = ask("rehearse", filter={})
    work()
    found = {
        said: DeadLetterFilter.parse({"rehearsed": f"{operation.pk}{said}"}).queryset().count()
        for said in ("", ":succeed", ":fail", ":PlaneUnknown", ":stop", ":write", ":unknown")
    }
    wanted = {"": 9, ":succeed": 3, ":fail": 2, ":PlaneUnknown": 2, ":stop": 0, ":write": 2, ":unknown": 2}
    assert found == wanted
    part = DeadLetterFilter.parse({"rehearsed": f"{operation.pk}:PlaneUnknown"})
    assert DeadLetterFilter.from_canonical(part.canonical()) == part


def rehearsed(letters):
    """Three that would succeed, two that would not."""
    letters(3, payload='{"order_id": 1}')
    letters(2, payload='{"do": "business"}')
    operation = ask("rehearse", filter={})
    work()
    return operation


@pytest.mark.parametrize("kind", ["revive", "retry"])
def test_only_what_passed_is_taken_and_what_was_edited_since_is_not(letters, kind):
    rehearsal = rehearsed(letters)
    edited = DeadLetter.objects.order_by("id").first().pk
    execute("UPDATE dlq_events SET payload = '{\"order_id\": 9}' WHERE id = %s", edited)
    letters(1)
    options = {"rehearsal": str(rehearsal.pk)}
    shown = preview(kind, Matching(DeadLetterFilter()), options)
    assert (shown.total, shown.eligible) == (6, 2)
    operation = ask(kind, filter={}, parameters=options)
    work()
    assert counts(operation) == ("completed", 6, 2, 4, 0)
    reasons = {each.reason: each.count for each in receipt.outcomes(operation.pk)}
    assert reasons == {
        "": 2,
        f"changed since operation {rehearsal.pk}": 1,
        f"did not pass in operation {rehearsal.pk}: PlaneUnknown: tailnum N1 is not in the planes table": 2,
        f"is no part of operation {rehearsal.pk}": 1,
    }
    assert statuses()["PENDING"] == 4


def test_a_canary_tries_only_what_passed(letters):
    rehearsal = rehearsed(letters)
    options = {"rehearsal": str(rehearsal.pk), "canary": {"probes": 3, "watch_seconds": 1}}
    operation = ask("retry", filter={}, parameters=options)
    run.run(operation.pk, seconds=0.5)
    assert len(Operation.objects.get(pk=operation.pk).probes) == 3
    work()
    assert counts(operation)[2:] == (3, 2, 0)


def refusal(**given):
    with pytest.raises(OperationRefused) as refused:
        ask("revive", filter={}, **given)
    return str(refused.value)


def test_a_rehearsal_that_does_not_count_is_refused_in_a_sentence(letters, settings):
    rehearsal = rehearsed(letters)
    other = ask("discard", ids=[DeadLetter.objects.first().pk])
    work()
    open_one = ask("rehearse", filter={})
    assert "by its number" in refusal(parameters={"rehearsal": "x"})
    assert refusal(parameters={"rehearsal": "999999"}) == "There is no operation 999999."
    assert "rehearsed nothing" in refusal(parameters={"rehearsal": str(other.pk)})
    assert "rehearsed nothing" in refusal(parameters={"rehearsal": str(open_one.pk)})
    with asking_as(AccessScope.of([("*", "somebody.elses")])):
        assert "There is no operation" in refusal(parameters={"rehearsal": str(rehearsal.pk)})
    execute("UPDATE operations SET finished_at = now() - interval '25 hours' WHERE id = %s", rehearsal.pk)
    assert "rehearse again" in refusal(parameters={"rehearsal": str(rehearsal.pk)})


def test_it_waits_for_nobody_however_many_they_are(letters, settings):
    settings.DLQ_FOUR_EYES_ABOVE = 2
    letters(5)
    operation = ask("rehearse", filter={}, expected=5)
    work()
    assert counts(operation) == ("completed", 5, 5, 0, 0)


def test_the_connection_is_not_left_read_only(letters):
    letters(1, payload='{"do": "write"}')
    ask("rehearse", filter={})
    work()
    assert row("SHOW transaction_read_only") == ("off",)
