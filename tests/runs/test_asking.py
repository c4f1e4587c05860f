"""Who may ask for what, and that of one job one is open at a time."""

import pytest
from django.db import DatabaseError

from dlqconsole.engine import audit
from dlqconsole.engine.models import AuditEntry
from dlqconsole.runs import jobs, service
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.models import PipelineRun
from tests.accounts import person

pytestmark = pytest.mark.django_db


def test_a_run_is_asked_for_and_noted(ask, folder):
    run = ask()
    assert (run.status, run.subject, run.asked_by) == ("asked", str(folder), person("ann"))
    entry = AuditEntry.objects.get(target=f"pipeline_run:{run.pk}")
    assert (entry.actor, entry.action) == (person("ann"), "start run")
    assert entry.detail == {"job": "ingest", "source": str(folder)}


def test_no_run_is_asked_for_without_its_audit_row(ask, monkeypatch):
    def fails(*_given, **_more):
        raise DatabaseError("no")

    monkeypatch.setattr(audit, "record", fails)
    with pytest.raises(DatabaseError):
        ask()
    assert not PipelineRun.objects.exists()


def test_a_second_one_is_refused_in_words(ask):
    first = ask()
    with pytest.raises(RunRefused, match=f"^Ingest {first.pk} waits already: wait for it, or cancel"):
        ask()
    PipelineRun.objects.filter(pk=first.pk).update(status="running")
    with pytest.raises(RunRefused, match="runs already"):
        ask()
    PipelineRun.objects.filter(pk=first.pk).update(status="completed")
    assert ask().pk != first.pk
    assert AuditEntry.objects.filter(action="start run").count() == 2


def test_one_of_the_command_line_stands_in_the_way_as_long_as_it_lives(ask):
    other = PipelineRun.objects.create(kind="ingest")
    with pytest.raises(RunRefused, match=f"Ingest {other.pk} runs already"):
        ask()
    PipelineRun.objects.filter(pk=other.pk).update(heartbeat_at="2020-01-01T00:00Z")
    assert ask().status == "asked"


def test_what_nobody_has_begun_is_cancelled_at_once(ask):
    run = ask()
    assert service.cancel(run.pk, person("bob"))
    assert not service.cancel(run.pk, person("bob"))
    run.refresh_from_db()
    assert (run.status, run.cancelled_by, run.finished_at is not None) == ("cancelled", person("bob"), True)
    assert AuditEntry.objects.get(action="cancel run").target == f"pipeline_run:{run.pk}"


@pytest.mark.parametrize(
    ("kind", "arguments", "words"),
    [
        ("bake", {}, "A job is one of"),
        ("ingest", {"source": "/etc"}, "The console reads from .* alone"),
        ("ingest", {"source": "incoming/../../../etc/passwd"}, "The console reads from .* alone"),
        ("ingest", {"path": "/"}, "has no argument “path”"),
        ("ingest", {"source": ""}, "File or folder is missing"),
        ("ingest", {"source": "a\x00b"}, "cannot be stored"),
        ("report", {"day": "yesterday"}, "is not a day like"),
    ],
)
def test_what_cannot_be_is_refused(folder, kind, arguments, words):
    with pytest.raises(RunRefused, match=words):
        service.ask(kind, arguments, person("ann"))
    assert not PipelineRun.objects.exists()


def test_what_is_not_set_up_says_so(settings):
    settings.DLQ_INGEST_FOLDERS = ()
    with pytest.raises(RunRefused, match="DLQ_INGEST_FOLDERS"):
        service.ask("ingest", {}, person("ann"))


def test_a_report_is_asked_for_by_its_days():
    job = jobs.get("report")
    for given, command, words in (
        ({}, [], "all days"),
        ({"which": "open"}, ["--open"], "open days"),
        ({"which": "open", "day": "2026-01-31"}, ["--day", "2026-01-31"], "2026-01-31"),
    ):
        read = job.read(given)
        assert (job.command(read), job.subject(read)) == (command, words)
