"""manage.py deadletters: the same list and the same operations, without a browser."""

import json

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import Operation


@pytest.fixture(autouse=True)
def no_worker(monkeypatch):
    monkeypatch.setattr("dlqconsole.operations.service.wake", lambda operation_id: None)


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
    assert (operation.filter, operation.expected) == ({"type": "a"}, 1)
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
    assert refused(run, "export", "--output", str(tmp_path / "no" / "out")).returncode == 1


def test_wait_stays_until_the_end_and_fails_when_items_failed(run, letter, monkeypatch):
    letter("a")

    def work(operation_id):
        Operation.objects.filter(pk=operation_id).update(status="completed", selected=1, failed=1)

    monkeypatch.setattr("dlqconsole.operations.service.wake", work)
    monkeypatch.setattr(
        "dlqconsole.console.management.commands.deadletters.time.sleep",
        lambda _: work(Operation.objects.get().pk),
    )
    assert refused(run, "retry", "--type", "a", "--because", "x", "--wait").returncode == 1
