"""What waits for a dead letter of its group is said where people look."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from dlqconsole.core import messages
from dlqconsole.core.messages import NewMessage
from dlqconsole.engine.models import DeadLetter, Message, Queue

pytestmark = pytest.mark.django_db


@pytest.fixture
def dead(letter):
    """The dead letter of the first of 13 messages of a group, and another group's, behind which one waits."""
    Queue.objects.create(name="orders", on_dead_letter="hold")
    sent = [NewMessage(f'"n{n}"', group_key="k") for n in range(13)]
    messages.send_many("orders", [*sent, *(NewMessage(f'"m{n}"', group_key="other") for n in range(2))])
    for first, key in [("n0", "k"), ("m0", "other")]:
        number = Message.objects.get(payload=first).pk
        Message.objects.filter(pk=number).delete()
        letter(queue="orders", group_key=key, original_message_id=number)
    return DeadLetter.objects.get(group_key="k").pk


def page(client, view, *arguments, **asked):
    return " ".join(client.get(reverse(f"dlq:{view}", args=arguments), asked).content.decode().split())


def test_the_page_of_the_dead_letter_says_how_many_wait_and_leads_to_the_first(viewer, dead):
    text = page(viewer, "dead_letter", dead)
    first = Message.objects.get(payload="n1").pk
    assert "12 messages of its group wait for this dead letter" in text
    assert reverse("dlq:queue_message", args=["orders", first]) in text
    assert f"dead letter {dead}</a>" in page(viewer, "queue_message", "orders", first)


def test_one_waiting_message_is_one(viewer, dead):
    other = DeadLetter.objects.exclude(pk=dead).get().pk
    assert "1 message of its group waits for this dead letter" in page(viewer, "dead_letter", other)


@pytest.mark.parametrize("change", ["continue", "discarded"])
def test_where_nothing_waits_for_it_the_page_says_nothing(viewer, dead, change):
    if change == "continue":
        Queue.objects.update(on_dead_letter="continue")
    else:
        DeadLetter.objects.update(status="DISCARDED")
    assert "for this dead letter" not in page(viewer, "dead_letter", dead)


def test_the_queues_page_and_its_lists_say_it(viewer, dead):
    text = page(viewer, "queue", "orders")
    assert "13 messages wait for dead letters of their 2 groups: revive, retry or discard these." in text
    assert "13 behind others of their groups, 13 of them for a dead letter" in text
    assert "behind a dead letter its group waits" in text
    assert 'messages/?list=waiting">Messages that wait for a dead letter</a>' in text
    assert page(viewer, "queue_messages", "orders", list="waiting").count(f">dead letter {dead}</a>") == 12


def test_the_command_says_it(dead, capsys):
    call_command("queues")
    assert "orders: 13 messages wait for dead letters of their 2 groups" in capsys.readouterr().out
    call_command("queues", "--json")
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    assert row["behind_dead_letters"] == {"messages": 13, "groups": 2, "at_least": False}


def test_a_discarded_one_counts_no_more(dead):
    DeadLetter.objects.filter(pk=dead).update(status="DISCARDED")
    assert Message.objects.get(payload="n1").status == "pending"
    assert Message.objects.filter(status="waiting").count() == 12
