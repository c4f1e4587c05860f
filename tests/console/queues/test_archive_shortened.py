"""Changes of the archive's time: nothing there goes unless a person confirms the count."""

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine.models import ArchivedMessage, AuditEntry, DeadLetter, Queue, QueueActivity
from dlqconsole.engine.queues import changes as queues
from tests.accounts import actor_of
from tests.console.queues.test_queues import form_of, words
from tests.plain_sql import execute

WHO = {"actor": "user:ann", "reason": "new"}
ADDRESS = "/queues/orders/policy/"


@pytest.fixture
def archived(db):
    """30 messages of orders that were archived 200 days ago for a year, 12 of three days ago."""
    queues.create("orders", **WHO, retention="archive", archive_days=365)
    for ago, count in ((200, 30), (3, 12)):
        add(ago, count)


def add(ago, count):
    execute(
        "INSERT INTO message_archive (id, queue, headers, priority, retry_count, created_at, archived_at,"
        " keep_until) SELECT n, 'orders', '{}', 0, 1, now(),"
        " clock_timestamp() - make_interval(hours => 24 * %s),"
        " clock_timestamp() + make_interval(hours => 24 * (365 - %s)) FROM generate_series(1, %s) n",
        ago,
        ago,
        count,
    )


def test_a_shorter_policy_keeps_what_is_archived_and_says_so(operator, archived):
    form = form_of(operator.get(ADDRESS)) | {"archive_days": "7", "reason": "disk"}
    said = words(operator.post(ADDRESS, form, follow=True))
    assert "Changed. Archived messages stay until their own time." in said
    assert Queue.objects.get().archive_days == 7
    assert ArchivedMessage.objects.count() == 42
    assert "Archived messages stay" not in words(
        operator.post(
            ADDRESS, form_of(operator.get(ADDRESS)) | {"lease_seconds": "9", "reason": "r"}, follow=True
        )
    )


def test_shortening_the_archive_is_confirmed_with_what_it_costs(operator, archived):
    form = form_of(operator.get(ADDRESS)) | {"archive_days": "7", "shorten_archived": "yes", "reason": "disk"}
    answer = operator.post(ADDRESS, form)
    assert answer.status_code == 422
    text = words(answer)
    assert (
        "42 archived messages were promised a longer time: 30 of them go at once, 12 when they are 7" in text
    )
    assert "Type 42 to show that you mean all of them" in text
    assert "Change, and shorten 42" in text
    assert Queue.objects.get().archive_days == 365, "nothing is changed before it is confirmed"
    form |= {"counted_until": answer.context["plan"].before.isoformat()}
    add(0, 5)
    wrong = operator.post(ADDRESS, form | {"typed_count": "30"})
    assert "Type 42 to confirm that all of them are meant." in words(wrong)
    assert ArchivedMessage.objects.count() == 47
    done = words(operator.post(ADDRESS, form | {"typed_count": "42"}, follow=True))
    assert "Changed. 30 archived messages went, 12 are kept for less time." in done
    assert "the archive is kept for 7 days: 30 messages went, 12 will go earlier" in done
    assert Queue.objects.get().archive_days == 7
    assert ArchivedMessage.objects.count() == 17, "what was archived after the count was not meant"
    [entry] = AuditEntry.objects.filter(action="shorten")
    assert (entry.actor, entry.reason) == (actor_of("operator"), "disk")


def test_what_was_not_reached_in_time_is_shortened_with_another_click(operator, archived, monkeypatch):
    monkeypatch.setattr("dlqconsole.console.queues.action_views.SECONDS", 0.0)
    monkeypatch.setattr("dlqconsole.engine.queues.archive.PAGE", 20)
    form = form_of(operator.get(ADDRESS)) | {"archive_days": "7", "shorten_archived": "yes", "reason": "disk"}
    begun = words(operator.post(ADDRESS, form | {"typed_count": "42"}, follow=True))
    assert "22 are left: do it again to go on." in begun
    again = form_of(operator.get(ADDRESS)) | {"shorten_archived": "yes", "reason": "disk"}
    asked = words(operator.post(ADDRESS, again))
    assert "22 archived messages were promised a longer time" in asked
    assert "2 are left" in words(operator.post(ADDRESS, again | {"typed_count": "22"}, follow=True))


def test_without_an_archive_there_is_nothing_to_shorten(operator):
    queues.create("orders", **WHO, retention="archive")
    page = operator.get(ADDRESS)
    assert "what is archived already, too" not in words(page)
    form = form_of(page) | {"archive_days": "7", "shorten_archived": "yes", "reason": "disk"}
    assert "Changed." in words(operator.post(ADDRESS, form, follow=True))


def test_the_archive_says_until_when_each_is_kept_also_after_its_queue_was_dropped(viewer, archived):
    queues.drop("orders", **WHO)
    DeadLetter.objects.all().delete()
    QueueActivity.objects.all().delete()
    assert viewer.get("/queues/orders/").status_code == 404
    page = viewer.get("/queues/orders/archive/")
    row = page.context["rows"][0]
    assert f"{row['keep_until']:%Y-%m-%d}" in words(page)
    assert "The queue was dropped. Archived messages stay until their own time." in words(page)
    assert viewer.get("/queues/nobody/archive/").status_code == 404


def test_the_audit_log_says_what_expired(viewer, db):
    execute(
        "INSERT INTO audit_log (actor, action, target, detail) VALUES ('retention', 'expire',"
        ' \'archive:2026-01-05\', \'{"messages": 1234, "queues": {"a": 234, "b": 1000}}\')'
    )
    text = words(viewer.get("/audit/"))
    assert "1,234 archived messages had outlived their time, and went: 1,000 of b, 234 of a" in text


def run(capsys, *arguments):
    call_command("queues", "change", "orders", "--because", "disk", *arguments)
    return capsys.readouterr().out


def test_the_command_keeps_what_is_archived_and_says_so(archived, capsys):
    said = run(capsys, "--archive-days", "7")
    assert said == "archive days: 365 → 7. Archived messages stay until their own time.\n"
    assert ArchivedMessage.objects.count() == 42


@pytest.mark.parametrize("confirmed", [("--expect", "42"), ("--yes",)])
def test_the_command_shortens_what_was_counted_or_meant(archived, capsys, confirmed):
    with pytest.raises(
        CommandError, match=r"30 of them go at once, 12 .* Say --expect 42, or --yes\."
    ) as asked:
        run(capsys, "--archive-days", "7", "--shorten-archived")
    assert asked.value.returncode == 2
    with pytest.raises(CommandError, match="holds 42 messages that are kept longer, not 41"):
        run(capsys, "--archive-days", "7", "--shorten-archived", "--expect", "41")
    assert Queue.objects.get().archive_days == 365
    said = run(capsys, "--archive-days", "7", "--shorten-archived", *confirmed)
    assert said == "archive days: 365 → 7. 30 archived messages went, 12 are kept for less time.\n"
    assert run(capsys, "--shorten-archived") == "Nothing to change: it is so already.\n"


def test_the_command_asks_on_a_terminal(archived, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    asked = []
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or "no")
    with pytest.raises(CommandError, match="Nothing was changed"):
        run(capsys, "--archive-days", "7", "--shorten-archived")
    assert "42 archived messages were promised a longer time" in asked[0]
    assert Queue.objects.get().archive_days == 365


def test_a_count_without_what_it_counts_is_refused(archived, capsys):
    with pytest.raises(CommandError, match="give both") as refusal:
        run(capsys, "--archive-days", "7", "--expect", "42")
    assert refusal.value.returncode == 2
    assert Queue.objects.get().archive_days == 365
