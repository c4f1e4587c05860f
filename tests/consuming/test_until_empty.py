"""`consume --until-empty` says the truth about what it leaves, and fails where that will not heal."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.core import messages
from dlqconsole.core.messages import NewMessage
from dlqconsole.engine import breakers
from dlqconsole.engine.models import Message
from dlqconsole.engine.queues import changes as queues

pytestmark = pytest.mark.django_db(transaction=True)

WHO = {"actor": "ann", "reason": "x"}


@pytest.fixture(autouse=True)
def here(settings):
    """Handlers run in this process: none is forked from a test."""
    settings.DLQ_HANDLER_ISOLATION = "none"


def consume(capsys, *more):
    try:
        call_command("consume", "order.created", "--until-empty", "--verbosity", "0", *more)
        problem = ""
    except CommandError as error:
        problem = str(error)
    return capsys.readouterr().out.strip(), problem


def test_an_empty_queue_has_nothing_to_do_paused_or_not(capsys):
    assert consume(capsys) == ("nothing to do", "")
    queues.create("order.created", **WHO)
    queues.pause("order.created", **WHO)
    assert consume(capsys) == ("nothing to do", "")


def test_what_is_for_later_is_said(capsys, send):
    messages.send("order.created", "{}", delay=90)
    out, problem = consume(capsys)
    assert re.fullmatch(
        r"nothing is due\norder\.created: 1 message is for later, the first in 1 min \d+ s\.", out
    )
    assert problem == ""


def test_each_kind_of_what_it_leaves_has_its_sentence(capsys, send):
    send(order_id=1)
    messages.send_many("order.created", [NewMessage('"waits"', group_key="k", delay=90) for _ in range(3)])
    Message.objects.create(queue="order.created", payload="revived", status="held")
    messages.send("order.created", '"elsewhere"', priority=1)
    messages.claim("order.created", 1, "another", 600)
    out, problem = consume(capsys)
    lines = [line.removeprefix("order.created: ") for line in out.splitlines()]
    assert lines[:2] == ["1 completed", "1 message is in other consumers' hands."]
    assert lines[2].startswith("1 message is for later, the first in 1 min")
    assert lines[3:] == [
        "2 messages wait behind others of their groups.",
        "1 message is held back, while the revival can be undone.",
    ]
    assert problem == ""


def test_what_the_rate_of_the_queue_leaves_is_said(capsys, send):
    queues.create("order.created", **WHO, rate_limit=2)
    for number in range(30):
        send(order_id=number)
    out, _problem = consume(capsys)
    assert re.search(r"^order\.created: \d+ messages wait: the queue allows 2 claims a second\.$", out, re.M)


def test_what_waits_for_a_dead_letter_fails(capsys):
    queues.create("order.created", **WHO, on_dead_letter="hold", max_retries=0)
    sent = [NewMessage('{"do": "business"}', group_key="k"), NewMessage("{}", group_key="k")]
    messages.send_many("order.created", sent)
    said = "order.created: 1 message waits for the dead letter of its group: revive, retry or discard it."
    assert consume(capsys) == ("1 dead-lettered", said)


def test_unhandled_ones_among_others_are_said_and_do_not_fail(capsys, send):
    send(order_id=1)
    messages.send("order.created", "{}", {"ce_type": "unheard.of"})
    out, problem = consume(capsys)
    assert out.splitlines()[0] == "1 completed, 1 put back for want of a handler"
    assert "order.created: Nobody handles unheard.of: 1 message waits." in out
    assert problem == ""


def test_a_paused_queue_fails(capsys, send):
    send(order_id=1)
    queues.pause("order.created", **WHO)
    said = "order.created is paused: 1 message waits. manage.py queues resume lets them go on."
    assert consume(capsys) == ("nothing was handled", said)


def test_a_queue_that_is_left_alone_fails_also_after_some_were_handled(capsys, send):
    for _ in range(30):
        send(do="dependency")
    out, problem = consume(capsys)
    assert out == "20 later"
    assert problem.startswith(
        "order.created is left alone: 30 messages wait. The event type order.created failed"
    )
    breakers.hold(
        "type:order.created", "open", datetime.now(UTC) + timedelta(hours=1), "ann", "billing moves"
    )
    out, problem = consume(capsys)
    assert "Ann holds" in problem
    assert "because billing moves." in problem
    assert Message.objects.filter(retry_count=0).count() == 10


def test_where_nothing_could_be_handled_it_fails(capsys, send, started_with):
    send(order_id=1)
    started_with("")
    out, problem = consume(capsys)
    assert out == "1 put back for want of a handler"
    assert "Nothing of order.created could be handled. Nobody handles order.created" in problem
