"""F34: MySQL consumers as real processes, killed or frozen at every point. Nothing is lost or mixed up."""

import random
import signal
import subprocess
import time
from collections import defaultdict
from itertools import pairwise

import pytest

from dlqconsole.engine.models import DeadLetter
from tests.operations.processes import Processes
from tests.transports.mysql.consumer import LEASE_SECONDS

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.faults]


@pytest.fixture
def start(mariadb, mysql_transport, tmp_path):
    """start("complete") begins a consumer process; all are ended afterwards."""
    with Processes(DLQ_MYSQL_URL=mariadb.url()) as processes:

        def begin(verb, file="effects"):
            module = ("-m", "tests.transports.mysql.consumer")
            return processes.begin(*module, verb, str(tmp_path / file), stdin=subprocess.PIPE)

        yield begin


def go_to(process, point):
    """Let a process go on until it has come to a point."""
    while (line := process.stdout.readline().strip()) != point:
        assert line, f"it ended before it was {point}"
        go_on(process)


def go_on(process):
    process.stdin.write("\n")
    process.stdin.flush()


def say(process, *points):
    """Let a process pass some points, to its end; its last word."""
    for point in points:
        go_to(process, point)
        go_on(process)
    return process.stdout.readline().strip()


def outlive_the_lease():
    time.sleep(LEASE_SECONDS + 0.1)


def waiting(mariadb):
    return mariadb.ask("SELECT COUNT(*) FROM dlq_message_queue")[0][0]


@pytest.mark.parametrize("point", ["claimed", "handled"])
def test_what_a_killed_consumer_held_is_handled_by_another_after_the_lease(point, start, mariadb, tmp_path):
    message = mariadb.put()
    killed, other = start("complete"), start("complete")
    go_to(killed, point)
    killed.kill()
    assert waiting(mariadb) == 1
    assert say(other, "claimed", "handled") == "completed"
    assert waiting(mariadb) == 0
    times = {"claimed": 1, "handled": 2}[point]  # at least once; twice when it died after the work
    assert (tmp_path / "effects").read_text().split() == [message] * times


def test_killed_between_the_two_databases_it_leaves_one_dead_letter_and_one_occurrence(start, mariadb):
    message = mariadb.put('{"order_id": 7}')
    killed, other = start("bury"), start("bury")
    go_to(killed, "kept")
    letter = DeadLetter.objects.get()
    killed.kill()
    assert waiting(mariadb) == 1
    assert say(other, "claimed", "handled", "kept") == f"buried {letter.pk}"
    assert waiting(mariadb) == 0
    again = DeadLetter.objects.get()
    assert (again.occurrences, again.version) == (1, letter.version)
    assert (again.queue, again.original_message_id) == ("mysql:orders", int(message))


@pytest.mark.parametrize("verb", ["complete", "bury"])
def test_frozen_past_its_lease_it_changes_nothing_of_what_its_successor_did(verb, start, mariadb):
    mariadb.put()
    frozen, successor = start(verb), start("complete")
    go_to(frozen, "handled")
    frozen.send_signal(signal.SIGSTOP)
    go_to(successor, "claimed")
    frozen.send_signal(signal.SIGCONT)
    assert say_on(frozen) == "lost"
    assert not DeadLetter.objects.exists()
    assert waiting(mariadb) == 1
    go_on(successor)
    assert say(successor, "handled") == "completed"


def say_on(process):
    go_on(process)
    return process.stdout.readline().strip()


def test_frozen_between_the_two_databases_it_lets_nobody_take_the_message_over(
    start, mariadb, mysql_transport
):
    message, other = mariadb.put(), mariadb.put()
    frozen = start("bury")
    go_to(frozen, "kept")
    frozen.send_signal(signal.SIGSTOP)
    outlive_the_lease()
    started = time.monotonic()
    assert [delivery.id for delivery in mysql_transport.claim("orders", 10, "other", 60)] == [other]
    assert time.monotonic() - started < 1  # nor keeps it anybody waiting
    frozen.send_signal(signal.SIGCONT)
    assert say_on(frozen) == f"buried {DeadLetter.objects.get().pk}"
    assert mariadb.ask("SELECT id FROM dlq_message_queue") == [(int(other),)]
    assert DeadLetter.objects.get().original_message_id == int(message)


def test_four_consumers_and_a_kill_lose_nothing_and_never_hold_one_message_together(start, mariadb, tmp_path):
    mariadb.ask("INSERT INTO dlq_message_queue (queue, message) SELECT 'orders', '{}' FROM seq_1_to_2000")
    sent = {row[0] for row in mariadb.ask("SELECT id FROM dlq_message_queue")}
    consumers = [start("drain", f"drain-{number}") for number in range(4)]
    deadline = time.monotonic() + 60
    while waiting(mariadb) > 1200 + random.randrange(300):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    consumers[0].kill()
    consumers[0].wait()
    killed_at = time.monotonic()
    for consumer in consumers[1:]:
        assert consumer.wait(timeout=60) == 0
    mariadb.let_time_pass()
    assert start("drain", "drain-4").wait(timeout=30) == 0
    assert waiting(mariadb) == 0
    spans = handled(tmp_path, killed_at)
    assert spans.keys() == sent
    assert (
        sum(len(of_one) for of_one in spans.values()) <= len(sent) + 1
    )  # once more: what the dead one had done
    for of_one in spans.values():
        of_one.sort()
        assert all(end <= begin for (_, end), (begin, _) in pairwise(of_one))


def handled(folder, killed_at):
    """When each message was in whose hands: {id: [(begin, end), …]}."""
    begun, spans = {}, defaultdict(list)
    for file in folder.glob("drain-*"):
        for line in file.read_text().splitlines(keepends=True):
            if not line.endswith("\n"):
                continue
            message, process, what, moment = line.split()
            if what == "begin":
                begun[message, process] = float(moment)
            else:
                spans[int(message)].append((begun.pop((message, process)), float(moment)))
    for (message, _process), begin in begun.items():
        spans[int(message)].append((begin, killed_at))
    return spans
