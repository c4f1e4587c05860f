"""kill -9 and SIGSTOP on a real scheduler process: another goes on, and nothing is done twice."""

import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from dlqconsole.engine.models import DeadLetter
from dlqconsole.retries import run
from dlqconsole.retries.models import RetryRun
from tests.operations.conftest import statuses
from tests.operations.processes import Processes
from tests.plain_sql import column, execute
from tests.waiting import as_soon_as, eventually

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.faults]

SCHEDULER = "tests.retries.scheduler"


@pytest.fixture
def processes() -> Iterator[Processes]:
    with Processes(
        DLQ_LEASE_SECONDS="1",
        DLQ_HANDLER_TIMEOUT="3",
        DLQ_RETRY_FIXED_RATE="1000",
        DLQ_RETRY_BACKOFF_BASE="1",
        DLQ_RETRY_BACKOFF_CAP="1",
    ) as processes:
        yield processes


def _lock_runs_out() -> None:
    """Five minutes later: nobody has heard of the dead scheduler."""
    execute("UPDATE shedlock SET lock_until = lock_until - interval '1 h'")
    execute("UPDATE retry_runs SET heartbeat_at = heartbeat_at - interval '1 h' WHERE finished_at IS NULL")


def test_a_killed_scheduler_is_followed_at_the_next_tick_and_charged_only_what_had_begun(letters, processes):
    letters(60, payload='{"do": "sleep", "seconds": 0.02}')
    first = processes.start(SCHEDULER)
    as_soon_as(lambda: statuses().get("SUCCEEDED", 0) >= 10)
    first.send_signal(signal.SIGKILL)
    first.wait()
    processes.start(SCHEDULER)
    eventually(lambda: statuses() == {"SUCCEEDED": 60})
    # the lock is still the dead one's: the next has joined its run
    assert column("SELECT count(*) FROM shedlock WHERE lock_until > timezone('utc', now())") == [1]
    assert RetryRun.objects.count() == 1
    assert column("SELECT count(*) FROM dlq_attempts WHERE outcome = 'succeeded'") == [60]
    crashes = column("SELECT count(*) FROM dlq_attempts WHERE kind = 'crash'")
    assert column("SELECT sum(retry_count) FROM dlq_events") == crashes
    assert crashes[0] <= 1


def test_a_handler_that_kills_the_scheduler_is_quarantined_and_harms_nobody(letters, processes):
    letters(10)
    (killer,) = letters(1, payload='{"do": "crash"}')
    letters(10)
    deaths = 0
    for _ in range(6):
        process = processes.start(SCHEDULER)
        eventually(lambda process=process: process.poll() is not None or _all_settled())
        if process.poll() is None:
            break
        deaths += 1
        _lock_runs_out()
    assert deaths == 3
    assert statuses() == {"SUCCEEDED": 20, "QUARANTINED": 1}
    assert DeadLetter.objects.get(pk=killer).status == "QUARANTINED"
    assert max(column("SELECT crash_count FROM dlq_events WHERE id <> %s", killer)) <= 1


def _stop_between_transactions(process: subprocess.Popen) -> None:
    """What it had locked when it was stopped, it would lock until it goes on."""

    def is_stopped() -> bool:
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)  # the server ends what it was asked before
        if column(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start IS NOT NULL"
        ) == [0]:
            return True
        process.send_signal(signal.SIGCONT)
        return False

    eventually(is_stopped)


def _all_settled() -> bool:
    return not statuses().keys() & {"PENDING", "RETRYING"}


def test_a_scheduler_stopped_longer_than_its_lock_does_nothing_twice(letters, processes):
    letters(60, payload='{"do": "sleep", "seconds": 0.02}')
    sleeper = processes.start(SCHEDULER)
    as_soon_as(lambda: statuses().get("SUCCEEDED", 0) >= 5)
    _stop_between_transactions(sleeper)
    _lock_runs_out()
    time.sleep(2.5)  # its claims run out, too
    run.claims.reclaim()
    execute("UPDATE dlq_events SET retry_after = now() WHERE status = 'PENDING'")
    run.run()
    sleeper.send_signal(signal.SIGCONT)
    eventually(lambda: statuses() == {"SUCCEEDED": 60})
    assert column("SELECT count(*) FROM dlq_attempts WHERE outcome = 'succeeded'") == [60]
