"""manage.py attach: wrong names get one line, right ones an audit row."""

import os
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.core.errors import UnknownQueue
from dlqconsole.engine.models import AuditEntry
from dlqconsole.people.models import Scope
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.pgmq import relay as steps
from tests.accounts import person, token_of
from tests.operations.processes import environment_here
from tests.plain_sql import execute, rows
from tests.starting import Popen

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_queue_is_attached_and_the_audit_log_says_by_whom_and_why(pgmq_queue, capsys):
    call_command("attach", f"pgmq:{pgmq_queue}", "--max-deliveries", "8", "--because", "billing moved here")
    assert capsys.readouterr().out == (
        f"pgmq:{pgmq_queue} is attached: what is read more than 8 times and not completed becomes a dead"
        " letter.\n"
    )
    queue = AttachedQueue.objects.get()
    assert (queue.transport, queue.remote_name, queue.max_deliveries, queue.lease_seconds) == (
        "pgmq",
        pgmq_queue,
        8,
        60,
    )
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target, entry.reason) == (
        "attach",
        f"queue:pgmq:{pgmq_queue}",
        "billing moved here",
    )
    assert entry.actor.startswith("cli:")
    assert entry.detail == {"max_deliveries": 8, "lease_seconds": 60}


def test_attaching_again_changes_only_what_was_given(pgmq_queue):
    call_command("attach", f"pgmq:{pgmq_queue}", "--max-deliveries", "8")
    call_command("attach", f"pgmq:{pgmq_queue.upper()}", "--lease-seconds", "5")
    queue = AttachedQueue.objects.get()
    assert (queue.name, queue.max_deliveries, queue.lease_seconds) == (f"pgmq:{pgmq_queue}", 8, 5)


def test_the_list_shows_what_stands_on_each(attached, letter, capsys):
    execute("SELECT pgmq.send(%s, '{}')", attached.remote_name)
    execute("SELECT pgmq.send(%s, '{}', 60)", attached.remote_name)
    letter(queue=attached.name)
    execute("SELECT pgmq.create('gone')")
    call_command("attach", "pgmq:gone")
    execute("SELECT pgmq.drop_queue('gone')")
    capsys.readouterr()
    call_command("attach", "--list")
    _head, gone, why, line = capsys.readouterr().out.splitlines()
    assert gone.split() == ["pgmq:gone", "?", "?", "?", "0", "0", "0"]
    assert why.strip().startswith("PGMQ has no queue 'gone' in this database")
    assert line.split() == [attached.name, "1", "0", "1", "1", "0", "0"]


def test_a_limited_administrator_sees_attaches_and_detaches_what_is_theirs(
    attached, letter, capsys, settings
):
    for name in ("theirs", "others"):
        execute("SELECT pgmq.create(%s)", name)
    lara = person("lara", "admin")
    Scope.objects.create(user_id=lara.removeprefix("user:"), queue="pgmq:theirs")
    settings.DLQ_TOKEN = token_of(lara)
    for words in (["pgmq:others"], ["pgmq:never"], [attached.name, "--detach"], ["pgmq:never", "--detach"]):
        with pytest.raises(CommandError, match=rf"{words[0]} lies outside your scope \(queue pgmq:theirs\)"):
            call_command("attach", *words)
    call_command("attach", "pgmq:Theirs")
    capsys.readouterr()
    call_command("attach", "--list")
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["queue", "pgmq:theirs"]
    call_command("attach", "pgmq:theirs", "--detach")
    assert AttachedQueue.objects.get().name == attached.name
    settings.DLQ_TOKEN = "dlq_nonsense"
    with pytest.raises(CommandError, match="This token is not known here"):
        call_command("attach", "--list")


def test_a_detached_queue_keeps_its_dead_letters_and_is_served_no_more(attached, letter, capsys):
    letter(queue=attached.name)
    call_command("attach", attached.name, "--detach", "--because", "moved away")
    assert capsys.readouterr().out == f"{attached.name} is detached.\n"
    assert not AttachedQueue.objects.exists()
    assert rows("SELECT queue FROM dlq_events") == [(attached.name,)]
    entry = AuditEntry.objects.latest("id")
    assert (entry.action, entry.target, entry.reason) == ("detach", f"queue:{attached.name}", "moved away")
    with pytest.raises(CommandError, match=r"No queue .* is attached"):
        call_command("attach", attached.name, "--detach")


def test_a_queue_with_revived_dead_letters_on_it_is_let_go_of_only_with_them(attached, letter, capsys):
    forwarded, waiting, kept = (letter(queue=attached.name) for _ in range(3))
    execute("SELECT dead_letter_revive(%s)", forwarded)
    relay.run_once()
    execute("SELECT dead_letter_revive(%s)", waiting)
    with pytest.raises(
        CommandError, match=f"2 revived dead letters are on their way through {attached.name}"
    ):
        call_command("attach", attached.name, "--detach")
    execute("SELECT pgmq.drop_queue(%s)", attached.remote_name)
    call_command("attach", attached.name, "--detach", "--take-back")
    assert "2 revived dead letters wait for a person again" in capsys.readouterr().out
    assert dict(rows("SELECT id, status FROM dlq_events")) == {
        forwarded: "EXHAUSTED",
        waiting: "EXHAUSTED",
        kept: "PENDING",
    }
    assert (
        rows("SELECT error_reason FROM dlq_attempts")
        == [(f"Detached: {attached.name} was detached before it let go of the message",)] * 2
    )
    assert rows("SELECT 1 FROM message_queue UNION ALL SELECT 1 FROM forwarded_messages") == []


def test_a_relay_that_still_knows_a_detached_queue_does_nothing_to_it(attached, letter):
    execute("SELECT dead_letter_revive(%s)", letter(queue=attached.name))
    attachments.detach(attached.name, actor="test", take_back=True)
    execute("INSERT INTO message_queue (queue, payload) VALUES (%s, '{}')", attached.name)
    for step in (steps.forward, steps.dead_letter_exhausted, steps.watch):
        with pytest.raises(UnknownQueue, match="is attached no more"):
            step(attached, 500)
    assert rows("SELECT status FROM message_queue") == [("pending",)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["orders"],
            "'orders' is not the name of another system's queue. Write celery:<queue> or django-tasks:",
        ),
        (["pgmq:"], "'pgmq:' is not the name of another system's queue"),
        (["rabbit:orders"], "'rabbit:orders' is not the name of another system's queue"),
        (["pgmq:nowhere"], "PGMQ has no queue 'nowhere' in this database"),
        (["pgmq:" + "x" * 48], "A PGMQ queue's name has 1 to 47 characters"),
        (["pgmq:x", "--max-deliveries", "0"], "Max deliveries must be between 1"),
        (["pgmq:x", "--lease-seconds", "9999999999"], "Lease seconds must be between 1"),
        (["mysql:orders"], "No MySQL is configured: set DLQ_MYSQL_URL"),
        ([], "Say which: attach celery:orders, or attach --list"),
    ],
)
def test_what_cannot_be_attached_is_one_line(pgmq, arguments, said):
    with pytest.raises(CommandError, match=said) as refused:
        call_command("attach", *arguments)
    assert "\n" not in str(refused.value)
    assert not AttachedQueue.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_database_that_is_away_is_one_line_and_no_traceback():
    environment = environment_here() | {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none"}
    process = Popen(
        [sys.executable, "manage.py", "attach", "--list"],
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert len(errors.strip().splitlines()) == 1
