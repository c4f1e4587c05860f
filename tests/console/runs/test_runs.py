"""The pipeline's runs: the list, one of them, asking for one, and ending it."""

import pytest

from dlqconsole.engine.models import AuditEntry
from dlqconsole.runs import service
from dlqconsole.runs.models import PipelineRun
from tests.accounts import actor_of, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(settings, tmp_path):
    settings.DLQ_INGEST_FOLDERS = (str(tmp_path),)
    return str(tmp_path)


def test_runs_stand_in_a_list(viewer):
    PipelineRun.objects.create(kind="ingest", total=200, done=50, message="reading 25 files")
    PipelineRun.objects.create(kind="report", status="failed", message="No space left")
    text = viewer.get("/runs/").content.decode()
    assert 'value="25"' in text
    assert "50 of 200 events" in text
    assert "No space left" in text


def test_an_operator_asks_for_one_and_ends_it(operator, folder):
    assert folder in operator.get("/runs/new/ingest/").content.decode()
    answer = operator.post("/runs/new/ingest/", {"source": folder, "reason": "new files"})
    run = PipelineRun.objects.get()
    assert answer.url == f"/runs/{run.pk}/"
    assert (run.status, run.asked_by) == ("asked", actor_of("operator"))
    assert AuditEntry.objects.get(action="start run").reason == "new files"
    again = operator.post("/runs/new/ingest/", {"source": folder})
    assert (again.status_code, f"Ingest {run.pk} waits already" in again.content.decode()) == (422, True)
    assert f'<a class="btn sm" href="/runs/{run.pk}/">' in again.content.decode()
    assert operator.post(f"/runs/{run.pk}/cancel/").url == f"/runs/{run.pk}/"
    assert PipelineRun.objects.get().status == "cancelled"
    assert "nothing was changed" in operator.post(f"/runs/{run.pk}/cancel/", follow=True).content.decode()


def test_what_cannot_be_asked_for_says_why(operator, viewer, settings):
    settings.DLQ_INGEST_FOLDERS = ()
    assert "DLQ_INGEST_FOLDERS" in operator.get("/runs/").content.decode()
    page = operator.post("/runs/new/ingest/", {"source": "/etc"})
    assert (page.status_code, "DLQ_INGEST_FOLDERS" in page.content.decode()) == (422, True)
    assert not PipelineRun.objects.exists()
    assert "become an operator" in viewer.get("/runs/").content.decode()


def test_one_run_tells_its_story(viewer, folder):
    run_id = service.ask("ingest", {"source": folder}, person("ann"))
    assert "ann" in viewer.get(f"/runs/{run_id}/").content.decode()
    PipelineRun.objects.filter(pk=run_id).update(
        status="failed",
        exit_status=-9,
        log="ingest: <b>12</b>\n",
        message="killed by signal 9",
        counts={"read": 12},
    )
    text = viewer.get(f"/runs/{run_id}/").content.decode()
    for words in ("Killed by signal 9", "&lt;b&gt;12&lt;/b&gt;", "-9", folder):
        assert words in text
    assert "data-live" not in text.split('id="run"')[1].split(">")[0]


def test_its_log_is_masked(viewer):
    run = PipelineRun.objects.create(kind="ingest", log="a worker failed: bad mail ann.miller@example.org")
    assert "ann.miller@example.org" not in viewer.get(f"/runs/{run.pk}/").content.decode()


def test_the_list_is_of_what_is_asked_for(viewer):
    """An unknown value in the address matches nothing: it must not widen to everything."""
    for kind, status in (("ingest", "failed"), ("report", "completed"), ("spark", "running")):
        PipelineRun.objects.create(kind=kind, status=status)
    for query, kinds in (
        ("", ["spark", "report", "ingest"]),
        ("status=failed", ["ingest"]),
        ("status=open", ["spark"]),
        ("job=report", ["report"]),
        ("job=report&status=failed", []),
        ("job=%00", []),
        ("status=lost", []),
        ("before=x", ["spark", "report", "ingest"]),
    ):
        answer = viewer.get(f"/runs/?{query}")
        assert [run["kind"] for run in answer.context["pipeline_runs"]] == kinds, query
    assert "No such run" in viewer.get("/runs/?status=lost").content.decode()


def test_older_runs_stand_on_a_further_page(viewer, monkeypatch):
    monkeypatch.setattr("dlqconsole.console.runs.listing.PAGE", 2)
    made = [PipelineRun.objects.create(kind="ingest", status="failed").pk for _ in range(5)]
    first = viewer.get("/runs/?status=failed").context
    second = viewer.get(first["older_url"]).context
    third = viewer.get(second["older_url"]).context
    shown = [run["id"] for page in (first, second, third) for run in page["pipeline_runs"]]
    assert shown == made[::-1]
    assert (third["older_url"], third["newest_url"]) == ("", "/runs/?status=failed")


def test_what_has_ended_is_started_again_as_it_was_asked_for(operator, viewer):
    about = {"kind": "report", "arguments": {"day": "2026-01-31"}, "asked_by": "schedule", "host": "worker-1"}
    run = PipelineRun.objects.create(status="running", total=9, done=3, **about)
    assert "Start again" not in operator.get(f"/runs/{run.pk}/").content.decode()
    PipelineRun.objects.update(status="failed", message="No space left", finished_at=run.started_at)
    assert "Its commits stay" in operator.get(f"/runs/{run.pk}/").content.decode()
    again = operator.get(f"/runs/{run.pk}/").context["again"]["url"]
    assert again == f"/runs/new/report/?like={run.pk}"
    assert 'value="2026-01-31"' in operator.get(again).content.decode()
    assert "2026-01-31" not in operator.get(f"/runs/new/ingest/?like={run.pk}").content.decode()
    looked_at = viewer.get(f"/runs/{run.pk}/")
    assert "Start again" in looked_at.content.decode()
    assert "become an operator" in looked_at.context["again"]["refusal"]


def test_a_report_that_is_asked_for_by_hand_begins_with_what_is_open(operator):
    assert '<option value="open" selected>' in operator.get("/runs/new/report/").content.decode()
    operator.post("/runs/new/report/", {"which": "open"})
    assert PipelineRun.objects.get().arguments == {"which": "open"}


def test_how_far_it_is_is_said_aloud_in_tens(viewer):
    run = PipelineRun.objects.create(kind="ingest", total=1000, done=377)
    assert 'data-announce="30 percent"' in viewer.get(f"/runs/{run.pk}/").content.decode()
    assert f'data-announce="Ingest {run.pk}: running"' in viewer.get(f"/runs/{run.pk}/").content.decode()


def test_what_was_cancelled_before_it_began_took_no_time(viewer, folder):
    run_id = service.ask("ingest", {"source": folder}, person("ann"))
    service.cancel(run_id, person("ann"))
    run = viewer.get(f"/runs/{run_id}/").context["run"]
    assert (run["begun_at"], run["took"]) == (None, "")


def test_what_is_silent_says_so_and_not_only_what_it_did_last(viewer):
    run = PipelineRun.objects.create(
        kind="ingest", message="reading 22 files", heartbeat_at="2020-01-01T00:00Z"
    )
    for address in ("/runs/", f"/runs/{run.pk}/", "/"):
        text = viewer.get(address).content.decode()
        assert "It has not been heard of for two minutes. Its last word: reading 22 files" in text, address
