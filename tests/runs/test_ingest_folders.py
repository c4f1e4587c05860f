"""An ingest that is asked for stays below the folder that is open for it, whatever is put there, and when."""

import os

import pytest

from dlqconsole.engine.models import DeadLetter
from dlqconsole.runs import service, starting
from dlqconsole.runs.errors import RunRefused
from dlqconsole.runs.models import PipelineRun
from tests.accounts import person

SECRET = (
    '{"type": "order.created", "specversion": "1.0", "id": "1", "source": "s", "data": "POSTGRES_PASSWORD"}\n'
)


@pytest.fixture
def secrets(tmp_path):
    """A folder beside the open one, with a file that no one asked for may read."""
    made = tmp_path / "secrets"
    (made / "sub").mkdir(parents=True)
    (made / "a.jsonl").write_text(SECRET)
    (made / "sub" / "a.jsonl").write_text(SECRET)
    return made


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("not-yet", "There is no file or folder .*/not-yet"),
        ("not-yet/a.jsonl", "There is no file or folder"),
        ("out", "a symbolic link stands in its place"),
        ("out/a.jsonl", "a symbolic link stands on the way to it"),
        ("a.jsonl", "a symbolic link stands in its place"),
        ("environ", "a symbolic link stands in its place"),
        ("nowhere", "a symbolic link stands in its place"),
        ("inside", "a symbolic link stands in its place"),
        ("good.jsonl/more", "a file stands on the way to it"),
        ("pipe", "a named pipe stands in its place"),
        ("../secrets", "The console reads from .* alone"),
        ("sub/../../secrets/a.jsonl", "The console reads from .* alone"),
        ("sub/..", "The console reads from .* alone"),
        ("../incoming-2", "The console reads from .* alone"),
        ("/proc/self/environ", "The console reads from .* alone"),
    ],
)
def test_what_is_not_there_or_leads_elsewhere_is_not_asked_for(folder, secrets, name, words):
    (folder / "sub").mkdir()
    (folder / "good.jsonl").write_text("{}\n")
    (folder / "out").symlink_to(secrets)
    (folder / "a.jsonl").symlink_to(secrets / "a.jsonl")
    (folder / "environ").symlink_to("/proc/self/environ")
    (folder / "nowhere").symlink_to(secrets / "not-there")
    (folder / "inside").symlink_to(folder / "sub")
    os.mkfifo(folder / "pipe")
    (folder.parent / "incoming-2").mkdir()
    with pytest.raises(RunRefused, match=words):
        service.ask("ingest", {"source": os.path.join(folder, name)}, person("ann"))
    assert not PipelineRun.objects.exists()


@pytest.mark.django_db
def test_the_folder_itself_may_be_a_link_of_who_opened_it(settings, folder):
    (folder.parent / "mounted").symlink_to(folder)
    settings.DLQ_INGEST_FOLDERS = (str(folder.parent / "mounted"),)
    (folder / "good.jsonl").write_text("{}\n")
    for name in ("", "good.jsonl"):
        source = str(folder.parent / "mounted" / name)
        run = PipelineRun.objects.get(pk=service.ask("ingest", {"source": source}, person("ann")))
        assert run.arguments == {"source": source}
        run.delete()


def to_link(path, target):
    """What somebody does who may write into the folder."""
    path.rename(path.with_name(".moved"))
    path.symlink_to(target)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("asked", "swapped", "target"),
    [
        ("sub", "sub", "secrets"),
        ("sub/a.jsonl", "sub/a.jsonl", "secrets/a.jsonl"),
        ("sub/a.jsonl", "sub", "secrets"),
        ("sub/sub", "sub", "secrets"),
        ("sub/a.jsonl", "sub/a.jsonl", "/proc/self/environ"),
    ],
)
def test_what_becomes_a_link_after_the_asking_is_not_read(ask, here, folder, secrets, asked, swapped, target):
    """Its process is a real one, and begins when the link is there."""
    (folder / "sub" / "sub").mkdir(parents=True)
    (folder / "sub" / "a.jsonl").write_text("{}\n")
    run = ask(source=str(folder / asked))
    to_link(folder / swapped, folder.parent / target)
    starting.start_waiting()
    run.refresh_from_db()
    assert run.status == "failed"
    assert "a symbolic link stands" in run.message
    assert not DeadLetter.objects.exists()


@pytest.mark.django_db
def test_whoever_starts_it_goes_by_his_own_folders(ask, folder, settings):
    run = ask()
    assert starting.command_line({"id": run.pk, "kind": "ingest", "arguments": run.arguments})[-4:-2] == [
        "--within",
        str(folder),
    ]
    settings.DLQ_INGEST_FOLDERS = ("/elsewhere",)
    with pytest.raises(RunRefused, match="The console reads from /elsewhere alone"):
        starting.command_line({"id": run.pk, "kind": "ingest", "arguments": run.arguments})


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_spark_reads_what_lies_there_and_no_link(ask, here, folder, secrets, tmp_path):
    (folder / "sub").mkdir()
    (folder / "good.jsonl").write_text('{"do": "business"}\n')
    (folder / "sub" / "good.jsonl").write_text('{"do": "business"}\n')
    (folder / "sub" / "a.jsonl").symlink_to(secrets / "a.jsonl")
    (folder / "linked").symlink_to(secrets)
    (folder / "environ.jsonl").symlink_to("/proc/self/environ")
    run = ask()
    starting.start_waiting()
    run.refresh_from_db()
    assert (run.status, run.done) == ("completed", 2), run.log
    assert "3 files left alone" in run.message
    found = DeadLetter.objects.order_by("source").values_list("source", flat=True)
    assert list(found) == ["file:good.jsonl", "file:sub/good.jsonl"]
    assert "POSTGRES_PASSWORD" not in "".join(str(row) for row in DeadLetter.objects.values())
