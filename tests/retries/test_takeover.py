"""A dead worker's run is taken over once its lock has run out, and never before; fenced and audited."""

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine.database.locks import HeldLock
from dlqconsole.engine.models import AuditEntry
from dlqconsole.retries import run_records, takeover, tasks
from dlqconsole.retries.models import RetryRun, RetryRunWorker
from dlqconsole.retries.next_run import LOCK, is_due
from dlqconsole.retries.takeover import TakeOverRefused
from tests.accounts import actor_of, person
from tests.operations.conftest import statuses
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def dead(settings) -> RetryRun:
    """A run whose worker has died, with its lock; both are old."""
    settings.DLQ_RETRY_FIXED_RATE = 3_600_000
    with HeldLock(LOCK, at_most=30) as lock:
        run = run_records.begin("schedule", lock).run
    execute("UPDATE retry_runs SET heartbeat_at = now() - interval '20 s'")
    return RetryRun.objects.get(pk=run.id)


def test_before_the_lock_runs_out_it_is_refused_in_a_sentence(dead):
    with HeldLock(LOCK, at_most=30), pytest.raises(TakeOverRefused, match=r"is held by .* until .* UTC"):
        takeover.take_over(person("olga"), "it hangs")
    assert RetryRun.objects.get().finished_at is None
    assert not AuditEntry.objects.filter(action="take over").exists()


def test_where_nothing_is_open_or_somebody_is_at_work_there_is_nothing_to_take_over(dead):
    execute("UPDATE retry_runs SET heartbeat_at = now()")
    with pytest.raises(TakeOverRefused, match=r"was heard of 0 s ago"):
        takeover.take_over(person("olga"), "it hangs")
    execute("UPDATE retry_runs SET finished_at = now()")
    with pytest.raises(TakeOverRefused, match="nothing to take over"):
        takeover.take_over(person("olga"), "it hangs")


def test_after_that_it_ends_the_run_raises_the_token_and_is_audited(dead):
    assert not is_due()
    assert takeover.take_over(person("olga"), "it hangs") == dead.pk
    ended = RetryRun.objects.get()
    assert (ended.ended_for, ended.more_due) == ("taken over", True)
    assert "had stopped without a word" in ended.note
    assert is_due()
    entry = AuditEntry.objects.get(action="take over")
    assert (entry.actor, entry.target, entry.reason) == (
        actor_of("olga"), f"retry_run:{dead.pk}", "it hangs",
    )  # fmt: skip
    with HeldLock(LOCK, at_most=30) as lock:
        assert lock.token > dead.token + 1


def test_by_command_too(dead, letters, capsys):
    letters(1)
    call_command("retry_due", take_over=True, because="it hangs")
    said = capsys.readouterr().out
    assert f"Took over run {dead.pk}." in said
    assert "1 claimed, 1 succeeded" in said
    assert statuses() == {"SUCCEEDED": 1}
    with pytest.raises(CommandError, match="nothing to take over"):
        call_command("retry_due", take_over=True)


def test_what_a_killed_worker_had_begun_is_lost_and_the_run_says_so(dead):
    def told():
        tasks.retry_due()
        row = RetryRun.objects.get(pk=dead.pk)
        return row.lost, row.note, RetryRunWorker.objects.get(worker="killed").left_for

    execute(
        "UPDATE retry_runs SET claimed = 7, succeeded = 3, finished_at = now(), ended_for = 'nothing due'"
    )
    execute(
        "INSERT INTO retry_run_workers (run_id, worker, claimed, succeeded, heartbeat_at)"
        " VALUES (%s, 'killed', 5, 1, now() - interval '10 s')",
        dead.pk,
    )
    assert told() == (0, "", ""), "it may be slow"
    execute("UPDATE retry_run_workers SET heartbeat_at = now() - interval '40 s' WHERE worker = 'killed'")
    assert told() == told() == (
        4, "nothing is due any more; workers that stopped without a word: 1", "died",
    )  # fmt: skip
