"""An operation is over when its messages are: until then it is handed over, and says what is to come."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F

from dlqconsole.engine.counts import rollups
from dlqconsole.engine.known_handlers import CONSUMER, ProcessHeartbeat
from dlqconsole.operations import outcomes
from dlqconsole.operations.models import HANDED_OVER, Operation
from dlqconsole.operations.outcomes import note_handled, release_times, to_queue
from dlqconsole.operations.receipts.outlook import Outlook, outlook
from dlqconsole.operations.requests import service
from dlqconsole.operations.work import run
from dlqconsole.operations.work.releasing import release_due
from tests.operations.conftest import ask, undo, work
from tests.operations.test_canary import handle
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)

FOR_AN_HOUR = {"undo_seconds": 3600}


def current(operation: Operation) -> Operation:
    found = Operation.objects.get(pk=operation.pk)
    outcomes.set_under_way([found])
    return found


def revived(**given) -> Operation:
    operation = ask("revive", filter={}, **given)
    work()
    return current(operation)


def coming(operation: Operation) -> str:
    found = outlook(current(operation))
    return found.sentence if found else ""


def ids(rows) -> list[int]:
    return list(rows.values_list("pk", flat=True))


def test_it_is_completed_when_the_last_of_its_messages_is_handled(letters):
    letters(5)
    operation = revived()
    assert (operation.status, operation.word, operation.percent) == ("completed", HANDED_OVER, 0)
    handle(limit=3, fail=1)
    operation = current(operation)
    assert (operation.word, operation.under_way, operation.percent) == (HANDED_OVER, 2, 60)
    rollups.fold()
    assert current(operation).under_way == 2
    handle()
    operation = current(operation)
    assert (operation.word, operation.under_way, operation.percent) == ("completed", 0, 100)
    assert outlook(operation) is None


def test_a_command_says_so_though_it_does_not_wait(letters, monkeypatch, capsys):
    monkeypatch.setattr(service, "wake", run.run)
    letters(3)
    call_command("deadletters", "revive", "--all", "--because", "billing is back")
    assert "is handed over: 3 selected, 3 done" in capsys.readouterr().out
    number = Operation.objects.get().pk
    with pytest.raises(CommandError, match=f"Operation {number} is handed over; nothing was changed"):
        call_command("deadletters", "resume", str(number))


def test_what_puts_nothing_on_queues_is_completed_at_once(letters):
    letters(3)
    operation = ask("discard", filter={})
    work()
    assert current(operation).word == "completed"
    assert ids(outcomes.handed_over(Operation.objects.all())) == []


def test_it_is_among_those_that_are_not_over_until_then(letters):
    letters(4)
    operation = revived()
    execute("UPDATE dlq_events SET status = 'PENDING' WHERE status = 'DISCARDED'")
    assert ids(outcomes.handed_over(Operation.objects.all())) == [operation.pk]
    note_handled()
    assert current(operation).handled_at is None
    handle()
    assert ids(outcomes.handed_over(Operation.objects.all())) == []
    note_handled()
    assert current(operation).handled_at is not None


def test_what_two_undos_pulled_back_is_not_waited_for(letters):
    letters(6)
    operation = revived(parameters=FOR_AN_HOUR)
    # the first finds a half only: the rest is in a consumer's hands
    execute("UPDATE message_queue SET status = 'processing' WHERE id % 2 = 0")
    undo(operation)
    work()
    # only what was cancelled may be followed by another
    Operation.objects.filter(kind="undo").update(status="cancelled")
    execute("UPDATE message_queue SET status = 'held'")
    undo(operation)
    work()
    undone = Operation.objects.filter(kind="undo")
    assert sum(each.done for each in undone) == 6
    assert min(each.done for each in undone) > 0
    operation = current(operation)
    assert (operation.word, operation.under_way) == ("completed", 0)


def test_a_cancelled_one_says_what_is_still_to_come(letters):
    letters(2)
    operation = revived()
    Operation.objects.filter(pk=operation.pk).update(status="cancelled")
    assert current(operation).word == "cancelled"
    assert "2 of 2 still to be handled" in coming(operation)
    assert ids(outcomes.handed_over(Operation.objects.all())) == [operation.pk]


def test_without_a_consumer_it_says_which_queue_has_none(letters):
    letters(3, queue="orders")
    operation = revived()
    assert coming(operation) == "3 of 3 still to be handled: no consumer of orders is running."
    assert not outlook(operation).goes_on
    ProcessHeartbeat(CONSUMER, ["orders"]).beat()
    assert coming(operation).startswith("3 of 3 still to be handled, by 1 consumer")


def test_how_long_it_takes_follows_from_what_was_handled(letters):
    letters(40)
    operation = revived()
    handle(limit=10)  # whose claim says that somebody consumes
    # ten in ten seconds, so thirty more in about thirty
    execute("UPDATE operations SET started_at = clock_timestamp() - interval '10 seconds'")
    found = outlook(current(operation))
    assert (found.under_way, found.done, found.consumers) == (30, 40, 1)
    assert 30 <= found.seconds < 300
    assert ", by 1 consumer, about " in found.sentence


def test_what_its_sentence_says_of_time():
    assert Outlook(2_778, 3_008, consumers=4, seconds=181.0).sentence == (
        "2,778 of 3,008 still to be handled, by 4 consumers, about 3 min 1 s."
    )


@pytest.mark.parametrize(
    ("change", "words", "goes_on"),
    [
        ("INSERT INTO queues (name, paused) VALUES ('orders', true)", "the queue orders is paused", False),
        ("UPDATE message_queue SET unhandled_type = 'order.lost'",
         "no consumer of orders has a handler for order.lost", False),
        ("INSERT INTO breakers (key, state, failures, reason, next_probe_at)"
         " VALUES ('type:order.created', 'open', 20, 'refused', now() + interval '1 hour')",
         "order.created failed 20 times", True),
    ],
)  # fmt: skip
def test_what_is_in_the_way_of_its_messages_is_said(letters, change, words, goes_on):
    letters(3, queue="orders")
    operation = revived()
    ProcessHeartbeat(CONSUMER, ["orders"]).beat()
    execute(change)
    assert words in coming(operation)
    assert outlook(operation).goes_on is goes_on


def test_an_undo_window_holds_back_until_a_moment_that_is_said(letters):
    letters(3, queue="orders")
    operation = revived(parameters=FOR_AN_HOUR)
    until = current(operation).undo_until
    words = f"3 of 3 still to be handled: held back for the undo until {until:%Y-%m-%d %H:%M:%S} UTC"
    assert words in coming(operation)
    assert outlook(operation).goes_on
    assert release_times(["orders", "other"]) == {"orders": until}
    Operation.objects.update(undo_until=F("created_at"))
    release_due(run.time.monotonic() + 5)
    assert release_times(["orders"]) == {}


def test_a_queue_names_the_operations_whose_messages_it_has(letters):
    letters(2, queue="orders")
    there = revived()
    letters(2, queue="orders")
    elsewhere = revived(parameters={"to_queue": "later"})
    rows = Operation.objects.order_by("pk")
    assert ids(to_queue(rows, "orders")) == [there.pk]
    assert ids(to_queue(rows, "later")) == [elsewhere.pk]


def test_of_a_million_operations_only_those_that_may_be_handed_over_are_read(letters):
    letters(2)
    operation = revived()
    execute(
        "INSERT INTO operations (request_key, kind, status, actor, reason, scope, cutoff_id, expected,"
        " selected, done, finished_at, handled_at)"
        " SELECT gen_random_uuid(), 'revive', 'completed', 'user:1', 'x', 'filter', 0, 1, 1, 1, now(), now()"
        " FROM generate_series(1, 20000)"
    )
    execute("ANALYZE operations")
    query = outcomes.handed_over(Operation.objects.order_by("-id"))[:5]
    assert [row.pk for row in query] == [operation.pk]
    with connection.cursor() as cursor:
        sql, values = query.query.sql_with_params()
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", values)
        (plan,) = cursor.fetchone()
    assert "operations_handed_over" in str(plan)
    top = plan[0]["Plan"]
    assert top["Shared Hit Blocks"] + top["Shared Read Blocks"] < 100
