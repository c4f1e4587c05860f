"""Batch handlers of a consumer: which lists they get, and what becomes of each event."""

import json
import signal

import pytest

from dlqconsole.core import messages
from dlqconsole.engine.models import DeadLetter, EnrichedEvent, Message, Queue
from tests.operations.processes import Processes
from tests.waiting import as_soon_as, eventually

pytestmark = pytest.mark.django_db(transaction=True)
QUEUE = "order.created"


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


@pytest.fixture
def start(log):
    """start("--until-empty") begins a consumer; all are ended afterwards."""
    with Processes(DLQ_HANDLERS="tests.consuming.batch_handlers", OVERLAP_LOG=str(log)) as processes:

        def begin(*options, queue=QUEUE, **settings):
            return processes.begin("manage.py", "consume", queue, *options, **settings)

        yield begin


@pytest.fixture
def consume(start):
    """consume() handles all that is due; the line that the command ends with."""

    def run(*options, **more):
        return start("--until-empty", *options, **more).communicate(timeout=90)[0].strip()

    return run


def put(number, queue=QUEUE, first=0, **data):
    for order_id in range(first, first + number):
        messages.send(queue, json.dumps({"order_id": order_id, **data}))


def lists(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def letters():
    return {
        letter.payload.get("order_id"): (letter.error_class, letter.status)
        for letter in DeadLetter.objects.all()
    }


def test_a_claim_is_one_list_and_as_long_as_the_handler_says(consume, log):
    put(70)
    assert consume() == "70 completed"
    assert sorted(map(len, lists(log))) == [20, 50]
    assert sorted(order for some in lists(log) for order in some) == list(range(70))
    assert EnrichedEvent.objects.count() == 70


def test_a_smaller_claim_is_a_shorter_list(consume, log):
    put(20)
    assert consume("--batch", "5") == "20 completed"
    assert max(map(len, lists(log))) == 5


def test_beside_others_a_list_has_its_own_type_only(consume, log):
    for order_id in range(6):
        for kind in ("order.created", "order.awaited", "order.single"):
            messages.send("mixed", json.dumps({"order_id": order_id}), {"ce_type": kind})
    assert consume("--concurrency", "4", "--batch", "50", queue="mixed") == "18 completed"
    assert all(len(some) <= 6 for some in lists(log))
    assert EnrichedEvent.objects.count() == 18


def test_an_error_in_the_list_fails_its_own_event_only(consume, log):
    put(9)
    put(1, first=9, do="refuse")
    assert consume() == "9 completed, 1 dead-lettered"
    assert letters() == {9: ("Refused", "PENDING")}
    assert len(lists(log)) == 1


def test_what_does_not_fit_the_schema_is_not_in_the_list(consume, log):
    put(3)
    messages.send(QUEUE, "{}")
    assert consume() == "3 completed, 1 dead-lettered"
    assert letters() == {None: ("SchemaViolation", "PENDING")}
    assert lists(log) == [[0, 1, 2]]


def test_an_error_of_the_whole_fails_each(consume):
    put(3)
    put(1, first=3, do="raise")
    assert consume() == "4 dead-lettered"
    assert letters() == dict.fromkeys(range(4), ("Refused", "PENDING"))


def test_a_list_of_another_length_fails_each(consume):
    put(3)
    put(1, first=3, do="forget one")
    assert consume() == "4 dead-lettered"
    reasons = set(DeadLetter.objects.values_list("error_reason", flat=True))
    assert reasons == {"UnusableRecord: the batch handler returned list of 3, not a list of 4"}


def test_what_failed_before_runs_by_itself(start, log):
    Queue.objects.create(name=QUEUE, backoff_base_seconds=0.1, backoff_cap_seconds=0.1)
    put(4)
    put(1, first=4, do="sleep")
    start(DLQ_HANDLER_TIMEOUT="1")
    eventually(lambda: EnrichedEvent.objects.count() == 4, 60)
    first, *others = lists(log)
    assert len(first) == 5
    assert all(len(some) == 1 for some in others)
    eventually(lambda: letters() == {4: ("HandlerTimeout", "PENDING")}, 60)


@pytest.mark.faults
@pytest.mark.parametrize(
    ("do", "error_class", "options"),
    [
        ("die", "HandlerDied", []),
        ("die", "HandlerDied", ["--concurrency", "3"]),
        ("exit", "HandlerDied", []),
        ("hang", "HandlerHung", []),
    ],
)
def test_only_the_one_that_ends_the_process_is_charged(start, do, error_class, options):
    Queue.objects.create(name=QUEUE, backoff_base_seconds=0.1, backoff_cap_seconds=0.1)
    put(20)
    put(1, first=20, do=do)
    put(20, first=21)
    consumer = start(*options, DLQ_HANDLER_TIMEOUT="1")
    eventually(lambda: not Message.objects.exists(), 120)
    assert consumer.poll() is None
    assert letters() == {20: (error_class, "QUARANTINED")}
    assert DeadLetter.objects.get().crash_count == 3
    assert EnrichedEvent.objects.count() == 40


@pytest.mark.faults
def test_a_consumer_that_dies_in_the_midst_of_a_list_loses_nothing(start, log):
    Queue.objects.create(name=QUEUE, lease_seconds=1)
    put(10)
    put(1, first=10, do="sleep")
    killed = start()
    as_soon_as(lambda: log.exists() and [len(one) for one in lists(log)] == [11])
    killed.send_signal(signal.SIGKILL)
    start(DLQ_HANDLER_TIMEOUT="1")
    eventually(lambda: EnrichedEvent.objects.count() == 10, 60)
    assert set(Message.objects.values_list("payload__order_id", flat=True)) <= {10}


def test_a_transactional_consumer_has_lists_of_one(consume, log):
    put(3)
    assert consume("--transactional") == "3 completed"
    assert lists(log) == [[0], [1], [2]]


def test_an_async_one_is_awaited(consume, log):
    put(6, queue="order.awaited")
    assert consume(queue="order.awaited") == "6 completed"
    assert sorted(map(len, lists(log))) == [3, 3]
