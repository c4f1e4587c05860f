"""Topics: a queue is bound by command, and its page and the terminal show to what."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from dlqconsole.engine.models import AuditEntry, Message
from dlqconsole.people.models import Scope
from tests.accounts import person, token_of

pytestmark = pytest.mark.django_db
WHY = ("--because", "shipping wants them")


def send(routing_key):
    with connection.cursor() as cursor:
        cursor.execute("SELECT queue FROM queue_send_topic(%s, '1')", [routing_key])
        return [queue for (queue,) in cursor]


def test_a_bound_queue_gets_what_is_sent_to_its_topic(capsys):
    call_command("queues", "bind", "shipping", "order.*", *WHY)
    assert capsys.readouterr().out == "shipping gets what is sent to order.*.\n"
    assert (send("order.paid"), send("order")) == (["shipping"], [])
    entry = AuditEntry.objects.latest("id")
    assert (entry.action, entry.target, entry.reason) == ("bind", "queue:shipping", WHY[1])
    assert (entry.detail, entry.actor.partition(":")[0]) == ({"pattern": "order.*"}, "cli")
    call_command("queues", "bind", "shipping", "order.*", *WHY)
    assert capsys.readouterr().out == "shipping gets what is sent to order.* already.\n"
    assert AuditEntry.objects.filter(action="bind").count() == 1


def test_the_page_and_the_terminal_show_its_topics(viewer, capsys):
    for pattern in ("order.*", "mail.#"):
        call_command("queues", "bind", "shipping", pattern, *WHY)
    send("order.paid")
    assert ("Topics", "mail.#, order.*") in viewer.get(reverse("dlq:queue", args=["shipping"])).context[
        "policy"
    ]
    call_command("queues", "show", "shipping")
    assert "mail.#, order.*" in capsys.readouterr().out


def test_what_is_unbound_gets_no_more(capsys):
    call_command("queues", "bind", "shipping", "order.*", *WHY)
    call_command("queues", "unbind", "shipping", "order.*", *WHY)
    assert send("order.paid") == []
    call_command("queues", "unbind", "shipping", "order.*", *WHY)
    assert capsys.readouterr().out.endswith("shipping was not bound to order.*.\n")


def test_a_dropped_queue_is_bound_to_nothing():
    call_command("queues", "create", "shipping", *WHY)
    call_command("queues", "bind", "shipping", "order.*", *WHY)
    call_command("queues", "drop", "shipping", *WHY)
    assert send("order.paid") == []
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("queue", "pattern", "words"),
    [("shipping", "order..", "dots between them"), ("a" * 256, "order.*", "cannot be called")],
)
def test_what_cannot_be_is_refused_in_a_sentence(queue, pattern, words):
    with pytest.raises(CommandError, match=words):
        call_command("queues", "bind", queue, pattern, *WHY)


def test_who_sees_one_queue_brings_it_no_message_of_others(settings):
    lara = person("lara", "admin")
    Scope.objects.create(user_id=lara.removeprefix("user:"), queue="shipping")
    settings.DLQ_TOKEN = token_of(lara)
    call_command("queues", "create", "shipping", *WHY)
    with pytest.raises(CommandError, match="only who sees them all"):
        call_command("queues", "bind", "shipping", "#", *WHY)
    assert send("order.paid") == []
