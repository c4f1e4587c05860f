"""Processes of runs: started once, ended in order, and whatever dies is said in words. The kills are real."""

import os
import signal
import sys
from contextlib import closing
from datetime import timedelta

import pytest
from django.utils import timezone

from dlqconsole.configuration.settings import NOT_THE_PIPELINES
from dlqconsole.runs import service, starting
from dlqconsole.runs.models import PipelineRun
from tests.accounts import person
from tests.plain_sql import execute
from tests.runs.conftest import dead
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


def test_a_run_is_started_and_says_what_became_of_it(ask, here, folder):
    run = ask()
    starting.start_waiting()
    run.refresh_from_db()
    assert (run.status, run.exit_status, run.message) == ("completed", 0, f"no events in {folder}")
    assert run.log == f"ingest: no events in {folder}\n"
    assert run.pid is not None


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        (
            "DLQ_HANDLERS",
            "",
            "it was asked wrongly, or its settings are wrong: ingest: DLQ_HANDLERS is not set",
        ),
        (
            "DATABASE_URL",
            "postgres://x:hush-hush@127.0.0.1:1/x",
            "it failed: ingest: the database of DATABASE_URL does not answer",
        ),
    ],
)
def test_what_never_came_to_take_its_row_up(ask, here, monkeypatch, name, value, words):
    run = ask()
    monkeypatch.setenv(name, value)
    starting.start_waiting()
    run.refresh_from_db()
    assert (run.status, run.pid) == ("failed", None)
    assert run.message.startswith(words)
    assert "hush-hush" not in run.log


def test_a_process_that_is_killed_is_seen_at_once(ask, living, starter):
    run, thread = ask(), starter()
    pid = _taken_up(run)
    os.kill(pid, signal.SIGKILL)
    thread.join(10)
    run.refresh_from_db()
    assert (run.status, run.exit_status) == ("failed", -signal.SIGKILL)
    assert "out of memory" in run.message


def test_a_process_that_says_nothing(ask, living, starter):
    living("mute")
    run = ask()
    starter().join(20)
    run.refresh_from_db()
    assert (run.status, run.message) == ("failed", "it ended with exit status 3, and said nothing")


def test_its_output_is_seen_while_it_works_and_holds_no_password(ask, living, starter, monkeypatch):
    run = ask()
    starter()
    _taken_up(run)
    eventually(lambda: PipelineRun.objects.get(pk=run.pk).log)
    assert PipelineRun.objects.get(pk=run.pk).log == "working with ‹hidden›\n"
    service.cancel(run.pk, person("ann"))


def test_a_cancel_ends_it_in_good_order(ask, living, starter):
    run, thread = ask(), starter()
    pid = _taken_up(run)
    assert service.cancel(run.pk, person("bob"))
    thread.join(10)
    run.refresh_from_db()
    assert (run.status, run.message) == ("cancelled", "stopped in good order")
    assert run.cancelled_by == person("bob")
    assert dead(pid)


def test_what_does_not_listen_is_killed(ask, living, starter, monkeypatch):
    monkeypatch.setattr(starting, "GRACE_SECONDS", 0.5)
    living("deaf")
    run, thread = ask(), starter()
    pid = _taken_up(run)
    service.cancel(run.pk, person("bob"))
    thread.join(10)
    run.refresh_from_db()
    assert (run.status, run.exit_status, dead(pid)) == ("cancelled", -signal.SIGKILL, True)


def test_its_process_is_handed_no_key_that_it_does_not_need(here, monkeypatch):
    for name in NOT_THE_PIPELINES:
        monkeypatch.setenv(name, "hush-hush")
    monkeypatch.setenv("BILLING_URL", "http://billing")
    with closing(starting.Output()) as output:
        line = [sys.executable, "-c", "import os; print(*os.environ)"]
        assert starting._spawn(line, output).wait(20) == 0
        given = set(output.tail().split())
    assert given & {*NOT_THE_PIPELINES, "BILLING_URL", "DATABASE_URL"} == {"BILLING_URL", "DATABASE_URL"}


def test_a_second_process_takes_no_row_up(ask, living, starter, here):
    run, thread = ask(), starter()
    pid = _taken_up(run)
    second = starting._spawn(starting.command_line({"id": run.pk}), output := starting.Output())
    assert second.wait(20) == 1
    assert "waits for no process" in output.tail()
    output.close()
    assert PipelineRun.objects.get(pk=run.pk).pid == pid
    service.cancel(run.pk, person("ann"))
    thread.join(10)


def test_its_starter_keeps_it_alive_until_its_process_does(ask, starter, monkeypatch):
    monkeypatch.setattr(starting, "command_line", lambda run: ["sleep", "600"])
    run, thread = ask(), starter()
    eventually(lambda: PipelineRun.objects.get(pk=run.pk).message == "starting a process")
    for _ in range(3):
        _make_old(run)
        eventually(lambda: PipelineRun.objects.get(pk=run.pk).heartbeat_at > timezone.now() - MINUTE)
    run.refresh_from_db()
    assert (run.status, run.pid) == ("running", None)
    service.cancel(run.pk, person("ann"))
    thread.join(10)


def test_what_lost_its_starter_before_it_began_waits_again(ask):
    run = ask()
    starting._claim()
    assert starting._claim() is None
    starting.look()
    assert PipelineRun.objects.get(pk=run.pk).status == "running"
    _make_old(run)
    starting.look()
    assert PipelineRun.objects.get(pk=run.pk).status == "asked"
    assert starting._claim()["id"] == run.pk


def test_what_died_with_its_starter_is_marked(ask):
    run = ask()
    starting._claim()
    PipelineRun.objects.filter(pk=run.pk).update(pid=2**22)
    _make_old(run)
    starting.look()
    run.refresh_from_db()
    assert (run.status, run.message) == ("failed", "the process ended without a word")


def test_what_has_no_memory_waits(ask, settings):
    settings.DLQ_PIPELINE_MEMORY = 2_000
    run = ask()
    other = PipelineRun.objects.create(kind="report", host=os.uname().nodename)
    assert starting._claim() is None
    PipelineRun.objects.filter(pk=other.pk).update(status="completed")
    assert starting._claim()["id"] == run.pk


def _taken_up(run: PipelineRun) -> int:
    eventually(lambda: PipelineRun.objects.get(pk=run.pk).pid, 20)
    return PipelineRun.objects.get(pk=run.pk).pid


def _make_old(run: PipelineRun) -> None:
    execute("UPDATE pipeline_runs SET heartbeat_at = now() - interval '2 minutes' WHERE id = %s", run.pk)
