"""Handlers of one consumer that overlap: what they did to whom, and who else bears it."""

import json
import signal
from collections import Counter, defaultdict
from functools import partial
from itertools import pairwise

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from dlqconsole.core import messages
from dlqconsole.engine.models import DeadLetter, EnrichedEvent, Message, Queue
from tests.operations.processes import Processes
from tests.waiting import as_soon_as, eventually

pytestmark = pytest.mark.django_db(transaction=True)
PLAIN, ASYNC = "order.created", "order.awaited"
BOTH = pytest.mark.parametrize("queue", [PLAIN, ASYNC])


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log"


@pytest.fixture
def start(log):
    """start(queue, "--concurrency", "20") begins a consumer; all are ended afterwards."""
    handlers = "tests.consuming.overlapping_handlers"
    with Processes(DLQ_HANDLERS=handlers, OVERLAP_LOG=str(log)) as processes:
        yield partial(processes.begin, "manage.py", "consume")


def put(queue, number, **data):
    """Send as many messages, numbered."""
    for order_id in range(number):
        messages.send(queue, json.dumps({"order_id": order_id, **data}), group_key=data.get("group"))


def spans(log):
    """When each handler ran, by order: its group, its begin and its end."""
    begun, ended = {}, []
    for line in log.read_text().splitlines():
        what, order, group, moment = line.split()
        if what == "begin":
            begun[order] = float(moment)
        else:
            ended.append((group, begun[order], float(moment)))
    return ended


def most_at_once(spans):
    moments = sorted([(begin, 1) for _, begin, _ in spans] + [(end, -1) for _, _, end in spans])
    most = now = 0
    for _moment, step in moments:
        now += step
        most = max(most, now)
    return most


def begun(log):
    return Counter(line.split()[1] for line in log.read_text().splitlines() if line.startswith("begin"))


@BOTH
def test_as_many_overlap_as_were_asked_for(start, log, queue):
    put(queue, 60, do="sleep", seconds=0.2)
    output, _ = start(queue, "--until-empty", "--concurrency", "20", "--batch", "50").communicate(timeout=60)
    assert output == "60 completed\n"
    assert 10 < most_at_once(spans(log)) <= 20
    assert EnrichedEvent.objects.count() == 60


@pytest.mark.parametrize(("queue", "most"), [(PLAIN, [1]), (ASYNC, range(2, 11))])
def test_without_being_asked_only_the_async_ones_of_a_claim_overlap(start, log, queue, most):
    put(queue, 20, do="sleep", seconds=0.05)
    output, _ = start(queue, "--until-empty").communicate(timeout=60)
    assert output == "20 completed\n"
    assert most_at_once(spans(log)) in most


@BOTH
def test_two_of_one_group_never_overlap(start, log, queue):
    for group in ("a", "b", "c"):
        for order_id in range(8):
            data = {"order_id": f"{group}{order_id}", "group": group, "do": "sleep", "seconds": 0.03}
            messages.send(queue, json.dumps(data), group_key=group)
    output, _ = start(queue, "--until-empty", "--concurrency", "20").communicate(timeout=60)
    assert output == "24 completed\n"
    by_group = defaultdict(list)
    for group, begin, end in spans(log):
        by_group[group].append((begin, end))
    for one in by_group.values():
        assert len(one) == 8
        assert all(end <= begin for (_, end), (begin, _) in pairwise(one))


def test_one_slow_handler_does_not_hold_up_the_others(start, log):
    put(PLAIN, 1, do="sleep", seconds=30)
    start(PLAIN, "--concurrency", "5", "--batch", "5")
    as_soon_as(lambda: log.exists())
    for order_id in range(1, 40):
        messages.send(PLAIN, json.dumps({"order_id": order_id}))
    eventually(lambda: EnrichedEvent.objects.count() == 39, 20)
    assert Message.objects.count() == 1


@pytest.mark.faults
@BOTH
def test_sigterm_finishes_what_has_begun_and_gives_back_the_rest(start, log, queue):
    put(queue, 30, do="sleep", seconds=2)
    consumer = start(queue, "--concurrency", "4", "--batch", "20")
    as_soon_as(lambda: log.exists() and len(begun(log)) == 4)
    consumer.send_signal(signal.SIGTERM)
    assert consumer.wait(timeout=20) == 0
    assert EnrichedEvent.objects.count() == 4
    assert len(begun(log)) == 4
    assert set(Message.objects.values_list("status", "retry_count", "crash_count")) == {("pending", 0, 0)}


@pytest.mark.faults
def test_what_handlers_do_to_their_process_is_charged_to_nobody_else(start, log):
    Queue.objects.create(name=PLAIN, backoff_base_seconds=0.1, backoff_cap_seconds=0.1)
    poisons = {"crash": "HandlerDied", "hang": "HandlerHung", "exit": "HandlerDied"}
    for poison in poisons:
        messages.send(PLAIN, json.dumps({"order_id": poison, "do": poison}))
    put(PLAIN, 40, do="sleep", seconds=0.2)
    consumer = start(PLAIN, "--concurrency", "10", "--batch", "20", DLQ_HANDLER_TIMEOUT="2")
    eventually(lambda: not Message.objects.exists(), 90)
    assert consumer.poll() is None
    assert EnrichedEvent.objects.count() == 40
    letters = DeadLetter.objects.values_list("payload__order_id", "error_class", "status", "crash_count")
    assert set(letters) == {(poison, name, "QUARANTINED", 3) for poison, name in poisons.items()}


def test_a_consumer_that_was_killed_holds_nothing_for_ever(start, log):
    Queue.objects.create(name=PLAIN, lease_seconds=1)
    put(PLAIN, 20, do="sleep", seconds=0.5)
    killed = start(PLAIN, "--concurrency", "10")
    as_soon_as(lambda: log.exists() and len(begun(log)) > 5)
    killed.kill()
    start(PLAIN, "--concurrency", "10")
    eventually(lambda: not Message.objects.exists(), 30)
    assert EnrichedEvent.objects.count() == 20
    assert not DeadLetter.objects.exists()


def test_leases_of_all_in_work_are_kept(start, log):
    Queue.objects.create(name=PLAIN, lease_seconds=1)
    put(PLAIN, 12, do="sleep", seconds=2.5)
    consumers = [start(PLAIN, "--until-empty", "--concurrency", "6", "--batch", "6") for _ in range(2)]
    counts = sorted(consumer.communicate(timeout=60)[0] for consumer in consumers)
    assert all("lost" not in count for count in counts), counts
    assert set(begun(log).values()) == {1}


@BOTH
def test_after_a_failure_nothing_begins_that_a_breaker_stops(start, log, queue):
    Queue.objects.create(name=queue, max_retries=0)
    put(queue, 50, do="away")
    words = (queue, "--until-empty", "--batch", "50", "--concurrency", "2")
    output, _ = start(*words, DLQ_BREAKER_FAILURES="5").communicate(timeout=60)
    assert DeadLetter.objects.count() < 50
    assert Message.objects.exists(), output


def test_an_async_handler_may_use_the_database(start, log):
    put(ASYNC, 5, do="orm")
    Queue.objects.create(name=ASYNC)
    output, _ = start(ASYNC, "--until-empty").communicate(timeout=60)
    assert output == "5 completed\n"
    assert EnrichedEvent.objects.first().record == {"queues": [ASYNC]}


@pytest.mark.parametrize("options", [{"DLQ_HANDLER_ISOLATION": "none"}, {"transactional": True}])
def test_async_handlers_run_one_by_one_in_the_consumer_itself(start, log, options):
    put(ASYNC, 5, do="sleep", seconds=0.05)
    flags = ["--transactional"] if options.pop("transactional", False) else []
    output, _ = start(ASYNC, "--until-empty", *flags, **options).communicate(timeout=60)
    assert output == "5 completed\n"
    assert most_at_once(spans(log)) == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--concurrency", "0"], "--concurrency must be between 1 and 500."),
        (["--concurrency", "2", "--transactional"], "--transactional handles one after the other"),
    ],
)
def test_what_cannot_overlap_is_refused(options, sentence):
    with pytest.raises(CommandError, match=sentence) as refused:
        call_command("consume", PLAIN, *options)
    assert refused.value.returncode == 2


def test_handlers_in_the_consumer_itself_do_not_overlap(settings):
    settings.DLQ_HANDLER_ISOLATION = "none"
    with pytest.raises(CommandError, match="DLQ_HANDLER_ISOLATION is 'none'"):
        call_command("consume", PLAIN, "--concurrency", "2")


@pytest.mark.parametrize(("batch", "held"), [("1", 1), ("3", 3)])
def test_nothing_more_is_claimed_while_a_slow_handler_runs(start, log, batch, held):
    put(PLAIN, 8, do="sleep", seconds=3)
    start(PLAIN, "--batch", batch)
    as_soon_as(lambda: log.exists() and "end" in log.read_text())
    as_soon_as(lambda: len(begun(log)) == 2)
    assert Message.objects.filter(status="processing").count() <= held
