"""manage.py deadletters: the same list and the same operations, without a browser."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now

from dlqconsole.engine.known_handlers import CONSUMER
from dlqconsole.engine.models import AuditEntry, HandlerReport, Message, RevivalOutcome
from dlqconsole.operations.models import Operation, OperationPart
from tests.of_features import merged

pytestmark = pytest.mark.usefixtures("no_worker")


@pytest.fixture
def run(db, capsys):
    def command(*arguments: str) -> str:
        call_command("deadletters", *arguments)
        return capsys.readouterr().out

    return command


def refused(run, *arguments: str) -> CommandError:
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert "\n" not in str(refusal.value)
    return refusal.value


def test_list_shows_what_the_filter_matches(run, letter):
    one, _other = letter("a"), letter("b")
    lines = run("list", "--type", "a").splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(str(one))


def test_list_as_json_is_one_object_a_line(run, letter):
    letter("a", error_reason="two\nlines\u2028more")
    [line] = run("list", "--json").splitlines()
    assert json.loads(line)["event_type"] == "a"


def test_list_obeys_no_control_characters(run, letter):
    letter("a", error_reason="\x1b[31mred\u202e")
    text = run("list")
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_count_is_a_number(run, letter):
    letter("a", payload={"order_id": 7}), letter("a", payload={"order_id": 8})
    assert run("count").strip() == "2"
    assert run("count", "--payload", "order_id=7").strip() == "1"
    assert json.loads(run("count", "--json", "--type", "b")) == {"count": 0}


def test_show_keeps_every_digit(run, letter):
    one = letter(payload='{"n": 9007199254740993123.10}')
    assert '"payload": {"n": 9007199254740993123.10}' in run("show", str(one))


def test_retry_of_a_filter_is_an_operation_of_the_system_user(run, letter):
    letter("a"), letter("b")
    receipt = json.loads(run("retry", "--type", "a", "--because", "fixed", "--json"))
    operation = Operation.objects.get()
    assert receipt["id"] == operation.pk
    assert operation.actor.startswith("cli:")
    assert (operation.filter, operation.expected) == ({"q": "type:a"}, 1)
    assert AuditEntry.objects.get().reason == "fixed"


def test_ids_may_be_given_in_both_ways(run, letter):
    first, second = letter(), letter()
    run("discard", str(first), "--id", str(second), "--because", "junk")
    assert Operation.objects.get().ids == [first, second]


def test_what_changes_something_needs_a_reason(run, letter):
    letter("a")
    assert refused(run, "revive", "--type", "a").returncode == 2
    assert not Operation.objects.exists()


def test_everything_needs_to_be_said(run, letter):
    letter()
    assert refused(run, "discard", "--because", "x").returncode == 2
    run("discard", "--all", "--because", "x")
    assert Operation.objects.get().filter == {}


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--status", "NONE"), ("list", "--since", "never"), ("count", "--payload", "x"),
        ("list", "--since", "2026-02-02", "--until", "2026-01-01"), ("show",), ("list", "--group", "x"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_one_line_and_status_two(run, arguments):
    assert refused(run, *arguments).returncode == 2


@pytest.mark.parametrize("because", ["x" * 1_000_000, "\x00", " "])
def test_a_reason_that_cannot_be_kept_is_one_line(run, letter, because):
    letter("a")
    assert len(str(refused(run, "discard", "--type", "a", "--because", because))) < 200
    assert not Operation.objects.exists()


@pytest.mark.parametrize("ids", [["0"], ["9223372036854775807"], ["1"] * 2000])
def test_ids_that_are_not_there_are_no_traceback(run, letter, ids):
    letter("a")
    assert run("count", *ids).strip() in ("0", "1")
    assert refused(run, "show", ids[0] if ids[0] != "1" else "999999").returncode == 1


def test_unknown_dead_letter_is_one_line_and_status_one(run):
    assert refused(run, "show", "999").returncode == 1


@pytest.mark.django_db(transaction=True)
def test_export_goes_to_a_file(run, letter, tmp_path):
    letter("a"), letter("b")
    run("export", "--type", "a", "--format", "jsonl", "--output", str(tmp_path / "out.jsonl"))
    [line] = (tmp_path / "out.jsonl").read_text().splitlines()
    assert json.loads(line)["event_type"] == "a"
    assert AuditEntry.objects.get(action="export").actor.startswith("cli:")


def test_export_to_a_place_that_is_not_there_is_one_line(run, tmp_path):
    refusal = refused(run, "export", "--output", str(tmp_path / "no" / "out"))
    assert refusal.returncode == 1
    assert "Errno" not in str(refusal)
    assert str(refusal).endswith(": No such file or directory")


def test_wait_stays_until_the_end_and_fails_when_items_failed(run, letter, monkeypatch):
    letter("a")

    def work(operation_id):
        Operation.objects.filter(pk=operation_id).update(status="completed", selected=1, failed=1)

    monkeypatch.setattr("dlqconsole.operations.requests.service.wake", work)
    monkeypatch.setattr(
        "dlqconsole.console.operations.command.time.sleep",
        lambda _: work(Operation.objects.get().pk),
    )
    assert refused(run, "retry", "--type", "a", "--because", "x", "--wait").returncode == 1


def test_a_revive_takes_its_options(run, letter):
    letter("a")
    run(
        "revive", "--type", "a", "--because", "x", "--rate", "200", "--to-queue", "slow", "--no-order",
        "--canary", "--canary-probes", "3", "--canary-threshold", "20", "--canary-watch-seconds", "30",
    )  # fmt: skip
    operation = Operation.objects.get()
    assert operation.rate == 200
    assert operation.parameters == {
        "to_queue": "slow", "no_order": True, "undo_seconds": 0, "come_backs_too": False, **merged("OPTIONS"),
        "full_speed": False,
        "canary": {"probes": 3, "threshold": 20, "watch_seconds": 30},
    }  # fmt: skip


def test_nothing_is_held_back_unless_asked(run, letter):
    letter("a")
    run("revive", "--type", "a", "--because", "x")
    run("revive", "--type", "a", "--because", "x", "--undo-seconds", "90")
    held = [operation.parameters["undo_seconds"] for operation in Operation.objects.order_by("id")]
    assert held == [0, 90]


@pytest.mark.parametrize(
    "wrong",
    [("--rate", "0"), ("--rate", "fast"), ("--canary", "1000"), ("--canary-threshold", "5"),
     ("--undo-seconds", "-1"), ("--to-queue", "pgmq:x"), ("--recipe", "/no/such/file")],
)  # fmt: skip
def test_options_that_make_no_sense_are_one_line(run, letter, wrong):
    letter("a")
    refused(run, "revive", "--type", "a", "--because", "x", *wrong)
    assert not Operation.objects.exists()


def test_a_canary_has_no_undo_window_and_says_so(run, letter):
    letter("a")
    asked = ("revive", "--type", "a", "--because", "x", "--canary", "--undo-seconds")
    assert "there is no undo window" in str(refused(run, *asked, "50"))
    assert not Operation.objects.exists()
    run(*asked, "0")
    assert Operation.objects.get().parameters["canary"]


def test_what_failed_in_an_operation_is_a_scope(run, letter):
    letter("a")
    run("discard", "--type", "a", "--because", "x")
    first = Operation.objects.get()
    run("retry", "--operation", str(first.pk), "--outcome", "failed", "--because", "again")
    again = Operation.objects.latest("id")
    assert (again.scope, again.source_operation_id, again.source_outcome) == ("items", first.pk, "failed")


def test_an_operation_is_paused_resumed_and_cancelled_by_its_number(run, letter):
    letter("a")
    run("discard", "--type", "a", "--because", "x")
    Operation.objects.update(status="running")
    number = str(Operation.objects.get().pk)
    for verb, status in (("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
        assert json.loads(run(verb, number, "--json"))["status"] == status
    assert "nothing was changed" in str(refused(run, "pause", "--operation", number))
    assert refused(run, "pause").returncode == 2
    assert refused(run, "undo", number).returncode == 2  # a reason is needed
    assert "changed nothing" in str(refused(run, "undo", number, "--because", "x"))


@pytest.mark.parametrize(
    ("status", "words"), [("paused", "resume"), ("halted", "canary"), ("awaiting", "deadletters approve")]
)
def test_waiting_does_not_wait_for_other_people(run, letter, monkeypatch, status, words):
    """The command says how the operation goes on, instead of hanging."""
    letter("a")

    def stop(operation_id):
        Operation.objects.filter(pk=operation_id).update(status=status, approval="needed", selected=1)

    monkeypatch.setattr(
        "dlqconsole.console.operations.command.time.sleep", lambda _: stop(Operation.objects.get().pk)
    )
    stopped = refused(run, "discard", "--type", "a", "--because", "x", "--wait")
    assert stopped.returncode == 1
    assert words in str(stopped)


def test_waiting_goes_on_until_the_last_message_is_handled(run, letter, monkeypatch):
    """And no longer than somebody handles them; who waited is told who does not."""
    letter("a")

    def step(handled):
        operation = Operation.objects.get()
        if operation.status != "completed":
            values = {
                "status": "completed",
                "selected": 1,
                "done": 1,
                "finished_at": Now(),
                "started_at": Now(),
            }
            Operation.objects.update(**values)
            OperationPart.objects.create(operation=operation, queue="a", event_type="a", items=1)
            Message.objects.create(queue="a", payload={})
        elif handled:
            RevivalOutcome.objects.create(operation_id=operation.pk, succeeded=1, failed=0)

    sleep = "dlqconsole.console.operations.command.time.sleep"
    monkeypatch.setattr(sleep, lambda _: step(handled=False))
    asked = ("revive", "--type", "a", "--because", "x", "--wait")
    nobody = refused(run, *asked)
    assert nobody.returncode == 1
    assert "is handed over, 1 of 1 still to be handled: no consumer of a is running." in str(nobody)
    number = str(Operation.objects.get().pk)
    shown = run("show", "--operation", number)
    shown = json.loads(shown[shown.index("{") :])
    assert shown["status"] == "handed_over"
    assert shown["outlook"] == "1 of 1 still to be handled: no consumer of a is running."

    Operation.objects.all().delete()
    HandlerReport.objects.create(worker="c", role=CONSUMER, queues=["a"], event_types=["a"], seen_at=Now())
    monkeypatch.setattr(sleep, lambda _: step(handled=True))
    receipt = json.loads(run(*asked, "--json"))
    assert (receipt["status"], receipt["under_way"]) == ("completed", 0)


def test_one_dead_letter_gets_a_payload_from_a_file(run, letter, tmp_path):
    one = letter("a", payload={"order_id": 1})
    path = tmp_path / "new.json"
    path.write_text('{"order_id": 12345678901234567890}')
    run("edit", str(one), "--payload-file", str(path), "--because", "the real number")
    assert "12345678901234567890" in run("show", str(one))
    assert AuditEntry.objects.filter(action="edit", reason="the real number").exists()
    path.write_text("{")
    assert refused(run, "edit", str(one), "--payload-file", str(path), "--because", "x").returncode == 1


def test_an_export_may_go_on_in_the_background(run, letter):
    letter("a")
    run("export", "--all", "--format", "jsonl", "--as-operation", "--because", "for the report")
    assert Operation.objects.get().parameters == {"format": "jsonl", "unmasked": False}
