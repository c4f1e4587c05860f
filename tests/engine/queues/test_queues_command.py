"""manage.py queues: the list, and a verb for each thing that can be done with a queue."""

import json

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine.models import AuditEntry, Message, Queue
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import run as worker
from tests.accounts import person, token_of
from tests.engine.queues.test_queues import put_by_sql


@pytest.fixture
def run(db, capsys):
    def command(*arguments: str) -> str:
        call_command("queues", *arguments)
        lines = capsys.readouterr().out.splitlines(keepends=True)
        # what the other tests left in the server may be worth a warning
        return "".join(line for line in lines if not line.startswith("database: "))

    return command


@pytest.fixture
def works(monkeypatch):
    """Whoever waits for an operation is its worker, too."""
    monkeypatch.setattr("dlqconsole.operations.requests.service.wake", lambda operation_id: None)
    sleep = "dlqconsole.console.operations.command.time.sleep"
    monkeypatch.setattr(sleep, lambda _seconds: worker.take_up(5))


def refused(run, *arguments):
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert "\n" not in str(refusal.value)
    return refusal.value.returncode, str(refusal.value)


def test_the_list_has_a_line_a_queue_and_json_an_object(run, send):
    send("orders", order_id=1)
    run("create", "bills", "--because", "new")
    head, bills, orders = run().splitlines()
    assert head.split()[:3] == ["queue", "visible", "in"]
    assert orders.split()[:3] == ["orders", "1", "0"]
    assert bills.startswith("bills")
    rows = [json.loads(line) for line in run("--json").splitlines()]
    assert [(row["name"], row["visible"]) for row in rows] == [("bills", 0), ("orders", 1)]


def test_without_a_queue_the_list_is_its_head(run):
    assert len(run().splitlines()) == 1
    assert run("--json") == ""


def test_create_takes_every_part_of_a_policy(run):
    run(
        "create", "orders", "--max-retries", "7", "--lease", "90", "--backoff-base", "1", "--backoff-factor",
        "3", "--backoff-cap", "60", "--jitter", "0.5", "--retention", "archive", "--archive-days", "9",
        "--notify", "off", "--no-fifo", "--on-dead-letter", "hold", "--rate-limit", "2.5", "--unlogged",
        "--because", "new",
    )  # fmt: skip
    expected = {
        "name": "orders", "max_retries": 7, "lease_seconds": 90, "backoff_base_seconds": 1.0,
        "backoff_factor": 3.0, "backoff_cap_seconds": 60.0, "backoff_jitter": 0.5, "retention": "archive",
        "archive_days": 9, "notify": "off", "fifo_groups": False, "on_dead_letter": "hold", "rate_limit": 2.5,
        "unlogged": True,
    }  # fmt: skip
    assert Queue.objects.values(*expected).get() == expected
    assert "archived for 9 days" in run("show", "orders")
    run("change", "orders", "--rate-limit", "none", "--fifo", "--because", "less")
    assert Queue.objects.values_list("rate_limit", "fifo_groups").get() == (None, True)


@pytest.mark.django_db(transaction=True)
def test_a_queue_is_paused_purged_resumed_and_dropped(run, send, works):
    for number in range(3):
        send("orders", order_id=number)
    assert "paused" in run("pause", "orders", "--because", "deploy")
    assert "paused already" in run("pause", "orders", "--because", "deploy")
    assert refused(run, "purge", "orders", "--expect", "2", "--because", "test data")[0] == 1
    assert Message.objects.count() == 3
    figures = json.loads(run("purge", "orders", "--expect", "3", "--because", "test data", "--json"))
    operation = Operation.objects.get()
    assert (operation.kind, operation.queue, operation.expected) == ("purge_queue", "orders", 3)
    assert figures == {
        "operation": operation.pk, "status": "completed", "purged": 3, "returned": 0, "skipped": 0,
        "failed": 0, "left": 0,
    }  # fmt: skip
    assert "goes on" in run("resume", "orders", "--because", "deployed")
    assert "gone" in run("drop", "orders", "--because", "old")
    assert list(AuditEntry.objects.order_by("id").values_list("action", "reason")) == [
        ("pause", "deploy"), ("request purge_queue", "test data"), ("purge_queue", "test data"),
        ("completed", "test data"), ("resume", "deployed"), ("drop", "old"),
    ]  # fmt: skip


def test_what_is_wrong_is_one_line_and_its_exit_status(run, send):
    send("orders", order_id=1)
    assert refused(run, "create", "x")[0] == 2
    assert refused(run, "change", "orders", "--because", "x")[0] == 2
    for status, arguments in (
        (2, ["create", "a" * 256]), (2, ["create", "pgmq:a"]), (2, ["create", "x", "--lease", "0"]),
        (1, ["purge", "nope"]), (1, ["drop", "nope"]), (1, ["drop", "orders"]), (1, ["pause", "nope"]),
    ):  # fmt: skip
        found, sentence = refused(run, *arguments, "--because", "x")
        assert found == status
        assert sentence.endswith(".")
    assert refused(run, "show", "nope")[0] == 1
    with pytest.raises(CommandError):
        run("explode", "orders")
    assert Message.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_purge_asks_on_a_terminal(run, send, works, monkeypatch):
    send("orders", order_id=1)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    asked = []
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or "no")
    assert "Nothing was changed" in refused(run, "purge", "orders", "--because", "x")[1]
    assert "Purge 1 messages of orders?" in asked[0]
    assert Message.objects.count() == 1
    run("purge", "orders", "--because", "x", "--yes")
    assert Message.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_large_purge_says_that_somebody_has_to_approve_it(run, send, works, settings, capsys):
    settings.DLQ_FOUR_EYES_ABOVE = 1
    send("orders", order_id=1), send("orders", order_id=2)
    assert "who asks has to prove who they are" in refused(run, "purge", "orders", "--because", "x")[1]
    settings.DLQ_TOKEN = token_of(person("ann"))
    status, sentence = refused(run, "purge", "orders", "--because", "x")
    assert status == 1
    assert f"Operation {Operation.objects.get().pk} waits for approval of its 2 items" in sentence
    assert capsys.readouterr().out == ""
    refused(run, "purge", "orders", "--because", "x", "--json")
    figures = json.loads(capsys.readouterr().out)
    assert (figures["status"], figures["purged"], figures["left"]) == ("awaiting", 0, 2)
    assert Message.objects.count() == 2
    assert "2 messages purged" in run("purge", "orders", "--because", "x", "--expect", "2")


def test_a_name_does_nothing_to_the_terminal(run):
    put_by_sql("a\x1b[31m\nb")
    assert "\x1b" not in run()
    assert len(run().splitlines()) == 2
