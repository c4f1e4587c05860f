"""kill -9 on a real worker process: another adopts, each row moves once, the counts are exact."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.operations.models import LIVE, Operation
from tests.operations.conftest import ask, counts, messages, statuses, work
from tests.operations.processes import Processes
from tests.plain_sql import column
from tests.waiting import as_soon_as, eventually

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.faults]


@pytest.fixture
def worker() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """worker(DLQ_OPERATION_PAGE="5") starts one."""
    with Processes(DLQ_LEASE_SECONDS="2", DLQ_HANDLER_TIMEOUT="1") as processes:
        yield partial(processes.start, "tests.operations.worker")


@pytest.mark.parametrize("killed_after", [1, 600])
def test_a_killed_revive_is_finished_by_another_worker(letters, worker, killed_after):
    letters(1500)
    operation = ask("revive", filter={}, expected=1500)
    first = worker(DLQ_OPERATION_PAGE="20")
    as_soon_as(lambda: Operation.objects.get().done >= killed_after)
    first.send_signal(signal.SIGKILL)
    first.wait()
    done_by_first = Operation.objects.get().done
    assert counts(operation)[0] == "running"
    worker()
    eventually(lambda: not Operation.objects.filter(status__in=LIVE).exists())
    assert counts(operation) == ("completed", 1500, 1500, 0, 0)
    assert messages() == (1500, 1500)
    assert operation.adoptions == 1
    assert killed_after <= done_by_first < 1500


def test_a_killed_retry_is_finished_by_another_worker(letters, worker):
    letters(30, payload='{"do": "sleep", "seconds": 0.05}')
    operation = ask("retry", filter={})
    first = worker()
    as_soon_as(lambda: Operation.objects.get().done >= 5 and statuses().get("RETRYING", 0) == 1)
    first.send_signal(signal.SIGKILL)
    first.wait()
    worker()
    eventually(lambda: not Operation.objects.filter(status__in=LIVE).exists())
    assert counts(operation) == ("completed", 30, 30, 0, 0)
    assert statuses() == {"SUCCEEDED": 30}
    succeeded = Attempt.objects.filter(outcome="succeeded")
    assert succeeded.count() == succeeded.values("dlq_event_id").distinct().count() == 30
    assert operation.adoptions == 1


def test_a_handler_that_kills_its_worker_harms_only_its_own_dead_letter(letters, worker):
    letters(5)
    (killer,) = letters(1, payload='{"do": "crash"}')
    letters(5)
    operation = ask("retry", filter={})
    for _ in range(6):
        process = worker()
        eventually(
            lambda process=process: (
                process.poll() is not None or not Operation.objects.filter(status__in=LIVE).exists()
            )
        )
        if process.poll() is None:
            break
    assert counts(operation) == ("completed", 11, 10, 0, 1)
    assert DeadLetter.objects.get(pk=killer).status == "QUARANTINED"
    assert column("SELECT max(crash_count) FROM dlq_events WHERE id <> %s", killer) == [0]


def test_a_stopped_worker_that_wakes_up_again_does_nothing_twice(letters, worker):
    letters(800)
    operation = ask("revive", filter={})
    sleeper = worker(DLQ_OPERATION_PAGE="20")
    as_soon_as(lambda: Operation.objects.get().done >= 100)
    sleeper.send_signal(signal.SIGSTOP)
    # it may have been stopped within a page, whose locks it then holds: the others wait for it
    time.sleep(2.2)
    sleeper.send_signal(signal.SIGCONT)
    work(30)
    assert counts(operation) == ("completed", 800, 800, 0, 0)
    assert messages() == (800, 800)
