"""The approver sees the full request: recipe, differences, sample items, options, requester and reason."""

import json

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.core import messages
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.requests import approval_preview, controls
from dlqconsole.operations.work import run
from dlqconsole.people.models import Scope
from dlqconsole.people.names import named
from tests.accounts import person
from tests.asking import ask_for
from tests.with_sample_handlers import sample_handlers, started_with  # noqa: F401 - fixtures

RECIPE = '[{"op": "add", "path": "/country", "value": "CH"}]'


@pytest.fixture(autouse=True)
def set_up(settings, monkeypatch, operator):
    settings.DLQ_FOUR_EYES_ABOVE = 1
    for place in ("service", "controls"):
        monkeypatch.setattr(f"dlqconsole.operations.requests.{place}.wake", lambda operation_id: None)


def waiting(kind, ids, **given):
    operation = ask_for(kind, actor=person("ann"), reason="they are twice", expected=9, ids=ids, **given)
    run.run(operation.pk, 0.0)
    operation.refresh_from_db()
    assert operation.status == "awaiting"
    return operation


def words(client, operation):
    return " ".join(client.get(f"/operations/{operation.pk}/").content.decode().split())


@pytest.mark.usefixtures("sample_handlers")
def test_a_recipe_is_shown_with_what_it_would_change(operator, letter, capsys):
    ids = [letter(payload={"order_id": number, "email": "ann@example.org"}) for number in (1, 2)]
    operation = waiting("edit", ids, parameters={"recipe": RECIPE})
    text = words(operator, operation)
    for said in (
        "To be approved", "they are twice", "ann", "2 on the list, 9 were shown to the requester",
        "/country", "<ins", "Each payload is changed by the recipe", "none of them", "operator",
    ):  # fmt: skip
        assert said in text, said
    call_command("deadletters", "show", "--operation", str(operation.pk))
    printed = capsys.readouterr().out
    # a line beside what would change is shown masked, too
    for shown in (text, printed):
        assert "email" in shown
        assert "ann@example.org" not in shown
    facts = json.loads(printed)
    assert (facts["asked_by"], facts["because"], facts["selected"]) == ("ann", "they are twice", 2)
    assert "/country" in facts["recipe"]
    assert facts["tried"] == {"on": 2, "would_change": 2}
    assert all(any(line.startswith("+") for line in lines) for lines in facts["differences"].values())
    assert facts["may_approve"] == [named(person("operator"))]


def test_who_is_limited_to_something_else_is_not_named(operator, letter, capsys):
    limited = person("limited")
    Scope.objects.create(user_id=int(limited[5:]), queue="elsewhere")
    operation = waiting("discard", [letter(), letter()])
    call_command("deadletters", "show", "--operation", str(operation.pk))
    assert json.loads(capsys.readouterr().out)["may_approve"] == [named(person("operator"))]


def test_some_of_the_items_are_shown_masked_with_what_was_changed(operator, letter, capsys):
    ids = [letter(payload={"email": "ann@example.org", "number": number}) for number in range(9)]
    operation = waiting("discard", ids)
    DeadLetter.objects.filter(pk=ids[0]).update(status="EXHAUSTED")
    DeadLetter.objects.filter(pk=ids[-1]).update(payload={"email": "bob@example.org"})
    text = words(operator, operation)
    assert "ann@example.org" not in text
    assert "bob@example.org" not in text
    assert "2 of them" in text
    assert "it was PENDING when the list was made" in text
    assert "edited since" in text
    for shown in (ids[0], ids[1], ids[-2], ids[-1]):
        assert f'/dead-letters/{shown}/"' in text
    call_command("deadletters", "show", "--operation", str(operation.pk))
    printed = capsys.readouterr().out
    assert "example.org" not in printed
    assert json.loads(printed)["changed_since_frozen"] == 2


def test_of_a_large_selection_the_first_are_compared(operator, letter, monkeypatch, capsys):
    monkeypatch.setattr(approval_preview, "MOST_COMPARED", 2)
    ids = [letter() for _number in range(4)]
    operation = waiting("discard", ids)
    DeadLetter.objects.filter(pk=ids[3]).update(status="EXHAUSTED")
    assert "none of the first 2; changed ones of the others" in words(operator, operation)
    DeadLetter.objects.filter(pk=ids[0]).update(status="EXHAUSTED")
    assert "1 or more of them</span>, or gone: they are skipped" in words(operator, operation)
    call_command("deadletters", "show", "--operation", str(operation.pk))
    facts = json.loads(capsys.readouterr().out)
    assert (facts["changed_since_frozen"], facts["compared"]) == (1, 2)


def test_of_a_purge_whatever_was_changed_is_told_and_skipped(operator, letter, capsys):
    """Also what neither edited it nor left it in another state; the number told is the number skipped."""
    ids = [letter(status="DISCARDED") for _number in range(6)]
    operation = waiting("purge", ids)
    restored, classified, again = ids[:3]
    to_category = {"to_category": "BUSINESS"}
    for kind, number, options in (
        ("restore", restored, {}), ("reclassify", classified, to_category), ("restore", again, {}),
        ("discard", again, {}),
    ):  # fmt: skip
        run.run(ask_for(kind, actor=person("bob"), ids=[number], parameters=options).pk, 60.0)
    text = words(operator, operation)
    assert "3 of them</span>, or gone: they are skipped" in text
    call_command("deadletters", "show", "--operation", str(operation.pk))
    facts = json.loads(capsys.readouterr().out)
    assert facts["changed_since_frozen"] == 3
    changed = {row["id"] for row in facts["samples"] if row["changed"]}
    assert {restored, classified} <= changed <= set(ids[:3])
    assert text.count("skipped as changed") >= 2
    controls.approve(operation.pk, person("operator"))
    run.run(operation.pk, 60.0)
    operation.refresh_from_db()
    assert (operation.status, operation.done, operation.skipped) == ("completed", 3, 3)
    assert "re-classified by bob" in words(operator, operation)


@pytest.mark.usefixtures("sample_handlers")
def test_another_state_is_no_change_where_only_the_payload_counts(operator, letter):
    ids = [letter(), letter()]
    operation = waiting("edit", ids, parameters={"recipe": RECIPE})
    DeadLetter.objects.filter(pk=ids[0]).update(status="EXHAUSTED")
    assert "none of them" in words(operator, operation)


def test_what_asks_every_few_seconds_gets_no_samples(operator, letter):
    operation = waiting("discard", [letter(), letter()])
    page = operator.get(f"/operations/{operation.pk}/", headers={"X-Live": "1"}).content.decode()
    assert "Waits for a second person" in page
    assert "To be approved" not in page


def test_messages_of_a_queue_are_shown_too(operator):
    for number in range(3):
        messages.send("orders", json.dumps({"order_id": number, "email": "ann@example.org"}).encode())
    operation = ask_for("purge_queue", actor=person("ann"), queue="orders", expected=3)
    run.run(operation.pk, 0.0)
    text = words(operator, operation)
    assert "To be approved" in text
    assert "order_id" in text
    assert "ann@example.org" not in text


def test_there_is_nothing_to_show_of_what_is_not_there(db):
    with pytest.raises(CommandError, match="no operation 99"):
        call_command("deadletters", "show", "--operation", "99")
