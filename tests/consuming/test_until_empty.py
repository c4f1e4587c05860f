"""`consume --until-empty` says the truth about what it leaves, and fails where that will not heal."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.core import messages
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
    messages.send("order.created", "{}", delay=60)
    assert consume(capsys) == ("nothing is due: 1 scheduled", "")


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
