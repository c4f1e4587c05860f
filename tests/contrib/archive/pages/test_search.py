"""Dead letters that only the archive has: its page, the list and the command line find them."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from dlqconsole.contrib.archive.models import ArchiveFile
from dlqconsole.contrib.archive.pages import cards, views
from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.people.models import Scope
from tests.accounts import person, token_of
from tests.contrib.archive.world import put_away
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db


@pytest.fixture
def archived(letter, settings, tmp_path) -> list[int]:
    settings.DLQ_ARCHIVE_DIR = tmp_path
    ids = [
        letter(queue="q", source="shop", source_key=f"order-{n}", error_reason=f"No: ann{n}@example.com")
        for n in range(3)
    ]
    put_away(ids)
    return ids


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    monkeypatch.setattr(cards, "SECONDS", 60.0)
    monkeypatch.setattr(views, "SECONDS", 60.0)


def shown(client, name: str, **given: str) -> str:
    return " ".join(client.get(reverse(f"dlq:{name}"), given).content.decode().split())


def test_the_list_says_what_the_archive_has(viewer, letter, archived):
    page = shown(viewer, "dead_letters", q="order-1")
    assert "Not here; 1 archived dead letter matches." in page
    assert "/archive/?q=order-1" in page
    assert "3 archived dead letters match." in shown(viewer, "dead_letters", source="shop")
    for nothing in ({"q": "order-9"}, {"source": "shop", "status": "PENDING"}, {"payload.a": "1"}, {}):
        assert "Not here" not in shown(viewer, "dead_letters", **nothing)
    letter(source="shop", source_key="order-11")
    assert "Not here" not in shown(viewer, "dead_letters", source="shop")


def test_without_time_it_says_where_to_look(viewer, archived, monkeypatch):
    monkeypatch.setattr(cards, "SECONDS", -1.0)
    monkeypatch.setattr(views, "SECONDS", -1.0)
    page = shown(viewer, "dead_letters", reason="no:")
    assert "There was no time to look through the archive." in page
    page = shown(viewer, "archive", reason="no:")
    assert "0 of 1 file that may hold some were looked through" in page


def test_its_page_finds_masked_and_within_scope(viewer, operator, archived):
    page = shown(viewer, "archive", reason="no:")
    assert "3 archived dead letters match" in page
    assert reverse("dlq:dead_letter", args=[archived[1]]) in page
    assert "ann1@" not in page
    assert "‹email" in page
    assert "Nothing that is archived matches." in shown(viewer, "archive", q="ann1@")
    assert "Nothing that is archived matches." in shown(viewer, "archive", q="ann1@example.com")
    assert "1 archived dead letter match" in shown(operator, "archive", q="ann1@example.com")
    assert "The archive is not searched by" in shown(viewer, "archive", came_back="2")
    assert "must be a date" in shown(viewer, "archive", since="yesterday")
    for role, queue, number in (("viewer", "other", 0), ("operator", "q", 3)):
        page = shown(limited(role, [(queue, "*")]), "archive", source="shop")
        assert f"{number} archived dead letters match" in page


def test_each_part_of_a_search_can_be_taken_away(viewer, archived):
    """Also a part that has no field."""
    page = viewer.get(reverse("dlq:archive"), {"source": "shop", "status": "DISCARDED"})
    assert [(chip["name"], chip["remove_url"]) for chip in page.context["chips"]] == [
        ("status", "/archive/?q=source:shop"),
        ("source", "/archive/?q=status:DISCARDED"),
    ]
    answer = viewer.get(reverse("dlq:archive"), {"came_back": "2"})
    assert [chip["remove_url"] for chip in answer.context["chips"]] == ["/archive/"]
    assert 'href="/archive/">Clear all' in shown(viewer, "archive", since="yesterday")
    assert "Clear all" not in shown(viewer, "archive")


def test_a_file_that_is_away_is_said_to_who_sees_everything(viewer, archived, tmp_path):
    next(tmp_path.rglob("*.parquet")).unlink()
    assert "is not in" in shown(viewer, "archive", source="shop")
    near = shown(limited("viewer", [("q", "*")]), "archive", source="shop")
    assert "Some of the archive cannot be read." in near
    assert str(tmp_path) not in near


def test_what_was_found_comes_back_together(operator, viewer, archived, letter):
    assert "Restore these 3" in shown(operator, "archive", source="shop")
    address = reverse("dlq:archive_restore_found") + "?ids=" + ",".join(map(str, [*archived, 10**9]))
    assert viewer.post(address, {"reason": "x"}).status_code == 403
    assert "Restore 3 dead letters" in " ".join(operator.get(address).content.decode().split())
    assert operator.post(address, {"reason": ""}).status_code == 422
    newer = letter(source="shop", source_key="order-1")
    page = operator.post(address, {"reason": "they asked"}, follow=True).content.decode()
    assert "2 dead letters back in the list, as they were." in page
    assert f"dead letter {newer} is the same event" in page
    assert set(DeadLetter.objects.values_list("pk", flat=True)) == {archived[0], archived[2], newer}
    assert AuditEntry.objects.filter(action="restore from archive", reason="they asked").count() == 2
    assert ArchiveFile.objects.get(state="kept").rows == 1
    nobody = limited("operator", [("other", "*")])
    assert "nothing to restore" in nobody.get(address).content.decode()
    assert nobody.post(address, {"reason": "x"}).status_code == 404


def test_the_command_finds_a_personal_value_by_the_whole(capsys, archived):
    call_command("archive", "find", "--q", "ann2@example.com", "--json")
    (row,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (row["id"], row["source_key"]) == (archived[2], "order-2")
    assert "ann2@" not in row["error_reason"]


def test_the_command_finds_restores_and_erases(capsys, archived, tmp_path):
    call_command("archive", "find", "--source", "shop")
    output = capsys.readouterr()
    assert len(output.out.splitlines()) == 3
    assert output.err == "3 archived dead letters match.\n"
    call_command("archive", "restore", str(archived[0]), "--because", "they asked")
    assert "1 dead letter back in the list, as they were." in capsys.readouterr().out
    with pytest.raises(CommandError, match="2 archived dead letters match: to erase them say --expect 2"):
        call_command("archive", "erase", "--source", "shop", "--because", "gone")
    call_command("archive", "erase", "--source", "shop", "--because", "gone", "--expect", "2", "--json")
    assert json.loads(capsys.readouterr().out) == {"erase": 2, "refused": 0}
    assert not list(tmp_path.rglob("*.parquet"))
    assert AuditEntry.objects.filter(action="erase from archive", actor__startswith="cli:").count() == 2
    assert DeadLetter.objects.get().pk == archived[0]


def test_the_command_finds_by_numbers(capsys, archived):
    call_command("archive", "find", str(archived[2]), str(archived[0]))
    output = capsys.readouterr()
    by_number = output.out.splitlines()
    assert [int(line.split()[0]) for line in by_number] == [archived[2], archived[0]]
    assert output.err == "2 archived dead letters match.\n"
    call_command("archive", "find", "--source", "shop")
    assert {*by_number} < {*capsys.readouterr().out.splitlines()}, "the same lines as a search has"
    with pytest.raises(CommandError, match=r"^There is no archived dead letter 999999\.$") as refused:
        call_command("archive", "find", str(archived[1]), "999999", "--json")
    assert refused.value.returncode == 1
    assert json.loads(capsys.readouterr().out)["id"] == archived[1]


def test_by_numbers_nobody_finds_beyond_their_scope(archived, settings):
    nora = person("nora", "viewer")
    Scope.objects.create(user_id=nora.removeprefix("user:"), queue="other", event_type="*")
    settings.DLQ_TOKEN = token_of(nora)
    with pytest.raises(CommandError, match=f"^There is no archived dead letter {archived[0]}"):
        call_command("archive", "find", str(archived[0]))


@pytest.mark.parametrize("asked", ["number", "filter"])
def test_a_file_that_is_missing_fails_the_search_and_is_named(archived, tmp_path, asked):
    (file,) = tmp_path.rglob("*.parquet")
    file.unlink()
    line = [str(archived[0])] if asked == "number" else ["--q", "order-1"]
    with pytest.raises(CommandError) as failed:
        call_command("archive", "find", *line)
    assert failed.value.returncode == 1
    said = str(failed.value)
    assert said.startswith("Not all of the archive could be read: at least 0 archived dead letters match.")
    assert file.name in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["find"], "Say what to look for"),
        (["find", "7", "--q", "x"], "Say numbers or a filter, not both"),
        (["find", "--q", ""], "nothing is in it"),
        (["find", "--since", "soon"], "must be a date"),
        (["restore", "7"], "Say why"),
        (["erase", "999", "--because", "x"], "There is no archived dead letter 999: nothing was changed."),
        (["erase", "--q", "nowhere", "--because", "x"], "No archived dead letter matches"),
    ],
)
def test_what_is_asked_wrongly_is_a_sentence(archived, line, said):
    with pytest.raises(CommandError, match=said):
        call_command("archive", *line)
    assert ArchiveFile.objects.get().rows == 3


def test_a_token_s_person_erases_only_as_an_administrator(archived, settings):
    settings.DLQ_TOKEN = token_of(person("olga", "operator"))
    with pytest.raises(CommandError, match="this is not theirs to do"):
        call_command("archive", "erase", str(archived[0]), "--because", "x")
    assert ArchiveFile.objects.get().rows == 3
