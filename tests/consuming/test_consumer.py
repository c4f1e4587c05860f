"""The consumer as a real process: it drains, stops, is killed, and others take over."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from django.db import connection

from dlqconsole.engine.models import Attempt, DeadLetter, EnrichedEvent, Message, Queue
from tests.operations.processes import Processes
from tests.plain_sql import execute
from tests.starting import Popen
from tests.waiting import as_soon_as, eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def start():
    """start("--until-empty", DLQ_…="1") begins a consumer of order.created; all are ended afterwards."""
    with Processes() as processes:
        yield partial(processes.begin, "manage.py", "consume", "order.created")


def test_it_drains_a_queue_and_says_what_came_of_it(start, send):
    for number in range(30):
        send(order_id=number, **({"do": "business"} if number % 10 == 0 else {}))
    output, _ = start("--until-empty").communicate(timeout=30)
    assert output == "27 completed, 3 dead-lettered\n"
    assert EnrichedEvent.objects.count() == 27
    assert DeadLetter.objects.count() == 3


def test_a_message_sent_while_it_waits_is_handled_at_once(start, send):
    start()
    time.sleep(1.5)
    send(order_id=1)
    eventually(EnrichedEvent.objects.exists)


@pytest.mark.faults
def test_sigterm_finishes_the_message_in_hand_and_gives_back_the_rest(start, send):
    send(order_id=0, do="sleep", seconds=2)
    for number in range(1, 5):
        send(order_id=number)
    consumer = start()
    as_soon_as(lambda: Message.objects.filter(status="processing").exists())
    time.sleep(0.5)  # claimed is not yet begun
    consumer.send_signal(signal.SIGTERM)
    assert consumer.wait(timeout=10) == 0
    assert EnrichedEvent.objects.count() == 1
    assert set(Message.objects.values_list("status", "retry_count")) == {("pending", 0)}


@pytest.mark.faults
@pytest.mark.faults
def test_what_a_killed_consumer_held_is_done_by_another_and_the_killer_is_quarantined(start, send):
    Queue.objects.create(name="order.created", lease_seconds=1)
    send(order_id=99, do="crash")
    for number in range(20):  # ten of them are claimed together with the killer
        send(order_id=number)
    deadline = time.monotonic() + 60
    while Message.objects.exists() and time.monotonic() < deadline:
        start("--until-empty", DLQ_HANDLER_ISOLATION="none").wait(timeout=30)
        time.sleep(1.1)
    assert not Message.objects.exists()
    assert EnrichedEvent.objects.count() == 20
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.error_class) == ("QUARANTINED", "ConsumerCrashed")


@pytest.mark.faults
def test_what_handlers_do_to_their_process_harms_their_own_message_only(start, send):
    Queue.objects.create(name="order.created", backoff_base_seconds=0.1, backoff_cap_seconds=0.1)
    poisons = {
        "crash": "HandlerDied",
        "hang": "HandlerHung",
        "leak": "HandlerOutOfMemory",
        "exit": "HandlerDied",
    }
    for poison in poisons:
        send(order_id=poison, do=poison)
    for number in range(20):  # some of them are claimed together with the killers
        send(order_id=number)
    consumer = start(DLQ_HANDLER_TIMEOUT="3", DLQ_HANDLER_MEMORY="100")
    eventually(lambda: not Message.objects.exists(), 60)
    assert consumer.poll() is None
    assert EnrichedEvent.objects.count() == 20
    letters = DeadLetter.objects.values_list("payload__order_id", "error_class", "status", "crash_count")
    assert set(letters) == {(poison, name, "QUARANTINED", 3) for poison, name in poisons.items()}
    assert Attempt.objects.filter(outcome="failed").count() == 3 * len(poisons)


def test_a_handler_that_hangs_is_stopped_and_counts_as_transient(start, send):
    Queue.objects.create(name="order.created", max_retries=0)
    send(order_id=1, do="sleep", seconds=30)
    start("--until-empty", DLQ_HANDLER_TIMEOUT="1").wait(timeout=20)
    letter = DeadLetter.objects.get()
    assert letter.error_reason == "HandlerTimeout: the handler did not finish within 1 s"
    assert letter.error_category == "TRANSIENT"


def test_wrong_handlers_stop_the_start_with_one_sentence(start):
    environment = {"DLQ_HANDLERS": "no.such.module"}
    os.environ.update(environment)
    process = Popen([sys.executable, "manage.py", "consume", "q"], stderr=subprocess.PIPE, text=True)
    del os.environ["DLQ_HANDLERS"]
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "no.such.module" in errors
    assert "Traceback" not in errors


def children_of(process):
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(pid) for pid in found.split()]


def test_a_crew_shares_the_work_and_adds_up_what_it_did(start, send):
    for number in range(60):
        send(order_id=number, **({"do": "business"} if number % 10 == 0 else {}))
    output, _ = start("--until-empty", "--processes", "3", "--batch", "5").communicate(timeout=30)
    assert output == "54 completed, 6 dead-lettered\n"


@pytest.mark.faults
def test_a_killed_member_of_the_crew_is_replaced_and_all_stop_together(start, send):
    crew = start("--processes", "2")
    eventually(lambda: len(children_of(crew)) == 2)
    victim, other = children_of(crew)
    os.kill(victim, signal.SIGKILL)
    eventually(lambda: len(set(children_of(crew)) - {victim}) == 2)
    send(order_id=1)
    eventually(EnrichedEvent.objects.exists)
    members = children_of(crew)
    crew.terminate()
    assert crew.wait(timeout=10) == 0
    eventually(lambda: not any(is_running(pid) for pid in [*members, other]))


@pytest.mark.faults
def test_a_crew_whose_parent_was_killed_goes_home(start):
    crew = start("--processes", "2")
    eventually(lambda: len(children_of(crew)) == 2)
    members = children_of(crew)
    crew.kill()
    eventually(lambda: not any(is_running(pid) for pid in members))


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_transactional_handlers_write_once_or_not_at_all(start, send):
    for number in range(20):
        send(order_id=number, **({"do": "business"} if number % 5 == 0 else {}))
    output, _ = start("--until-empty", "--transactional").communicate(timeout=30)
    assert output == "16 completed, 4 dead-lettered\n"
    assert EnrichedEvent.objects.count() == 16


@pytest.mark.faults
def test_a_transactional_handler_that_lets_nobody_stop_it_is_killed_with_its_consumer(start, send):
    Queue.objects.create(name="order.created", lease_seconds=1)
    send(order_id="hang", do="hang")
    Message.objects.update(crash_count=2)
    send(order_id=1)
    crew = start("--transactional", DLQ_HANDLER_TIMEOUT="1")
    eventually(lambda: not Message.objects.exists(), 40)
    assert crew.poll() is None
    assert EnrichedEvent.objects.count() == 1
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.error_class) == ("QUARANTINED", "ConsumerCrashed")


def test_a_migration_under_a_running_consumer_does_not_end_it(start, send):
    consumer = start()
    send(order_id=1)
    eventually(EnrichedEvent.objects.exists)
    with connection.cursor() as cursor:  # what its claim has planned is of another type now
        cursor.execute("ALTER TABLE message_queue ADD COLUMN added integer DEFAULT 1")
    try:
        send(order_id=2)
        eventually(lambda: EnrichedEvent.objects.count() == 2)
        assert consumer.poll() is None
    finally:
        consumer.kill()
        consumer.wait()
        execute("ALTER TABLE message_queue DROP COLUMN added")
