"""A revive, its undo and a discard on a queue that holds: the group keeps its order, and goes on."""

import time

import pytest

from dlqconsole.core import messages as queue_messages
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.messages import NewMessage, queues
from dlqconsole.engine.models import Queue
from dlqconsole.operations.work.releasing import release_due
from dlqconsole.processing.outcomes import Failed
from tests.operations.conftest import ask, undo, work
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)

FAILURE = Failed("Broken: it is", "BUSINESS", "Broken", "")
OVER = "UPDATE operations SET undo_until = clock_timestamp() - interval '1 second' WHERE id = %s"


@pytest.fixture(autouse=True)
def dead_head():
    """Three messages of a group; the first is a dead letter."""
    Queue.objects.create(name="q", on_dead_letter="hold")
    queues.forget()
    queue_messages.send_many("q", [NewMessage(str(number), group_key="k") for number in range(3)])
    [first] = claimed()
    queue_messages.dead_letter(first, Identity("q", "queue:q", "0", None), FAILURE, DeadLetterStatus.PENDING)


def claimed():
    return queue_messages.claim("q", 10, "me", 60)


def standing():
    return column("SELECT payload::text || ' ' || status FROM message_queue ORDER BY id")


def rest():
    seen = []
    while claims := claimed():
        seen += [claim.payload for claim in claims]
        queue_messages.complete(claims)
    return seen


def revive(**parameters):
    operation = ask("revive", filter={}, parameters=parameters)
    work()
    return operation


def test_a_revived_one_comes_first():
    revive()
    assert standing() == ["0 pending", "1 waiting", "2 waiting"]
    assert rest() == ["0", "1", "2"]


def test_held_back_it_is_waited_for_and_undone_its_group_waits_on():
    operation = revive(undo_seconds=60)
    assert standing() == ["0 held", "1 waiting", "2 waiting"]
    undo(operation)
    work()
    assert standing() == ["1 waiting", "2 waiting"]
    assert rest() == []


def test_the_end_of_an_undone_window_releases_no_message_of_a_later_revive():
    first = revive(undo_seconds=60)
    undo(first)
    work()
    second = revive(undo_seconds=60)
    execute(OVER, first.pk)
    release_due(time.monotonic() + 10)
    assert standing()[0] == "0 held"
    execute(OVER, second.pk)
    release_due(time.monotonic() + 10)
    assert rest() == ["0", "1", "2"]


@pytest.mark.parametrize("parameters", [{"no_order": True}, {"to_queue": "elsewhere"}])
def test_revived_without_order_or_elsewhere_its_group_goes_on(parameters):
    revive(**parameters)
    assert "1" in [claim.payload for claim in claimed()]


def test_discarded_its_group_goes_on_and_a_restore_holds_it_again():
    discard = ask("discard", filter={})
    work()
    assert standing() == ["1 pending", "2 waiting"]
    undo(discard)
    work()
    assert standing() == ["1 waiting", "2 waiting"]
    revive()
    assert rest() == ["0", "1", "2"]


def test_a_purge_of_the_queue_leaves_nothing_that_waits():
    execute("DELETE FROM message_queue WHERE queue = 'q'")
    revive()
    assert rest() == ["0"]
