"""A folder that is not the archive's: the pages say so; an administrator may say that it is."""

import json
import threading
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.urls import reverse

from dlqconsole.contrib.archive import folder
from dlqconsole.contrib.archive.folder import ArchiveRefused
from dlqconsole.contrib.archive.job import mark
from dlqconsole.contrib.archive.letters import find
from dlqconsole.contrib.archive.models import ArchiveFile
from dlqconsole.engine.models import AuditEntry
from tests.accounts import token_of
from tests.contrib.archive.world import put_away
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db

WHY = ["--because", "restored from a backup"]


@pytest.fixture
def archived(letter, settings, tmp_path) -> int:
    """An archived dead letter; its folder is ``settings.DLQ_ARCHIVE_DIR``."""
    settings.DLQ_ARCHIVE_DIR = tmp_path / "archive"
    number = letter(payload={"mail": "ann@example.com"}, queue="q")
    put_away([number])
    return number


def pages(client) -> list[str]:
    addresses = [reverse("dlq:healthz"), reverse("dlq:overview"), reverse("dlq:archive")]
    return [" ".join(client.get(address).content.decode().split()) for address in addresses]


def is_missing(page: str) -> bool:
    return "Not there" in page


def test_nothing_is_said_where_all_is_well(viewer, archived):
    assert folder.problem() == ""
    assert not any("archive adopt" in page for page in pages(viewer))
    assert not is_missing(pages(viewer)[2])


def test_an_empty_mount_point_is_said_and_what_to_do(viewer, archived, settings):
    settings.DLQ_ARCHIVE_DIR.rename(settings.DLQ_ARCHIVE_DIR.with_name("away"))
    for is_there in (False, True):
        if is_there:
            settings.DLQ_ARCHIVE_DIR.mkdir()
        health, overview, panel = pages(viewer)
        assert health.startswith("ok")
        for page in (health, overview, panel):
            assert "ount it" in page
            assert "manage.py archive adopt" in page
        # strangers read it
        assert str(settings.DLQ_ARCHIVE_DIR) not in health
        assert is_missing(panel)
        with pytest.raises(ArchiveRefused, match="is not in it"):
            find(archived)


def test_a_file_that_is_gone_is_told_from_one_that_is_there(viewer, letter, archived, settings):
    put_away([letter(queue="q")])
    first, second = ArchiveFile.objects.order_by("id")
    (settings.DLQ_ARCHIVE_DIR / first.path).unlink()
    panel = pages(viewer)[2]
    assert panel.count("Not there") == 1
    assert first.path.rpartition("/")[2] + " is not in" in panel
    assert second.sha256[:16] in panel


def test_who_is_limited_is_told_no_folder(archived, settings, viewer):
    settings.DLQ_ARCHIVE_DIR.rename(settings.DLQ_ARCHIVE_DIR.with_name("away"))
    client = limited("viewer", [("q", "*")])
    for page in pages(client)[1:]:
        assert "adopt" not in page
        assert str(settings.DLQ_ARCHIVE_DIR) not in page
    assert "the archive cannot be read at the moment" in pages(client)[2].lower()


def test_an_administrator_adopts_a_folder_whose_mark_is_lost(archived, settings, capsys):
    own = mark.read(settings.DLQ_ARCHIVE_DIR)
    other = uuid4()
    (settings.DLQ_ARCHIVE_DIR / mark.MARK).write_text(json.dumps({"database": str(other)}))
    with pytest.raises(ArchiveRefused, match="another database's"):
        find(archived)
    with pytest.raises(CommandError, match="Say why"):
        call_command("archive", "adopt")
    call_command("archive", "adopt", *WHY)
    assert "1 file" in capsys.readouterr().out
    assert mark.read(settings.DLQ_ARCHIVE_DIR) == own
    assert find(archived)
    entry = AuditEntry.objects.get(action="adopt archive folder")
    assert entry.reason == WHY[1]
    assert entry.detail["before"] == str(other)
    assert entry.detail["missing"] == 0


def test_a_limited_administrator_adopts_no_folder(archived, settings):
    """It has everybody's dead letters in it."""
    limited("admin", [("q", "*")])
    settings.DLQ_TOKEN = token_of(f"user:{User.objects.get(username='limited admin').pk}")
    (settings.DLQ_ARCHIVE_DIR / mark.MARK).unlink()
    with pytest.raises(CommandError, match="your scope is limited"):
        call_command("archive", "adopt", *WHY)
    assert not AuditEntry.objects.filter(action="adopt archive folder").exists()


def test_a_folder_that_lacks_files_is_adopted_only_by_who_knows_how_many(archived, settings):
    settings.DLQ_ARCHIVE_DIR.rename(settings.DLQ_ARCHIVE_DIR.with_name("away"))
    with pytest.raises(CommandError, match=r"1 of the 1 file .* are not in .* --expect 1"):
        call_command("archive", "adopt", *WHY)
    assert not settings.DLQ_ARCHIVE_DIR.exists()
    assert not AuditEntry.objects.filter(action="adopt archive folder").exists()
    call_command("archive", "adopt", *WHY, "--expect", "1")
    assert folder.problem() == ""


def test_a_folder_that_never_answers_keeps_no_page_waiting(viewer, archived, monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(folder, "SECONDS", 0.05)
    monkeypatch.setattr(mark, "read", lambda _folder: ended.wait(60) and None)
    assert folder.problem() == folder.AWAY
    assert folder.problem() == folder.AWAY
    panel = pages(viewer)[2]
    assert "Not known" in panel
    assert not is_missing(panel), "nobody knows"
    ended.set()
