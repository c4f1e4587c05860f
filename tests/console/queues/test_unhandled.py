"""Every page that shows a queue says what waits on it because nobody has a handler for it."""

import json

import pytest
from django.core.management import call_command

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core import messages
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db(transaction=True)

SENTENCE = "Nobody handles order.lost: 12 messages wait."


@pytest.fixture
def put_back(settings):
    """Twelve messages that a consumer without handlers has put back, and one behind another of its group."""
    settings.DLQ_HANDLERS = ""
    for _ in range(11):
        messages.send("orders", "{}", {"ce_type": "order.lost"})
    for _ in range(2):
        messages.send("orders", "{}", {"ce_type": "order.lost"}, group_key="customer-7")
    Consumer(["orders"]).run(until_empty=True)


@pytest.mark.parametrize("page", ["/", "/queues/", "/queues/orders/"])
def test_the_pages_of_queues_say_who_is_missing(put_back, viewer, page):
    text = " ".join(viewer.get(page).content.decode().split())
    assert SENTENCE in text
    assert "The others of their groups wait behind them, in order." in text


def test_the_overview_leads_to_the_queue(put_back, viewer):
    assert 'href="/queues/orders/"' in viewer.get("/").content.decode()


def test_the_messages_say_it_each(put_back, viewer):
    text = viewer.get("/queues/orders/messages/?list=scheduled").content.decode()
    assert text.count("no handler for order.lost") == 12
    number = value("SELECT min(id) FROM message_queue")
    text = " ".join(viewer.get(f"/queues/orders/messages/{number}/").content.decode().split())
    assert "none for order.lost in any consumer that has met it" in text


def test_the_command_line_says_it(put_back, capsys):
    call_command("queues")
    assert f"orders: {SENTENCE}" in capsys.readouterr().out
    call_command("queues", "show", "orders")
    assert SENTENCE in capsys.readouterr().out
    call_command("queues", "--json")
    [row] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert row["unhandled"][0]["messages"] == 12


def test_the_figures_for_machines_have_it(put_back, viewer):
    assert 'dlq_queue_unhandled_messages{queue="orders"} 12.0' in viewer.get("/metrics").content.decode()


def test_a_paused_queue_says_it_too(put_back, viewer):
    execute("INSERT INTO queues (name, paused) VALUES ('orders', true)")
    assert SENTENCE in " ".join(viewer.get("/queues/").content.decode().split())


def test_the_schedules_page_says_what_is_not_retried_for_want_of_a_handler(viewer, letter, settings):
    settings.DLQ_HANDLERS = "tests.sample_handlers"
    for _ in range(3):
        letter("order.lost")
    letter("order.created")
    text = " ".join(viewer.get("/schedules/").content.decode().split())
    assert "have no handler (order.lost): left until DLQ_HANDLERS has one or a policy" in text
    assert "order.checked, order.created" in text
    assert "no worker has reported: as the web has them" in text


def test_the_confirm_page_of_a_retry_says_how_many_it_will_skip(operator, letter, settings):
    settings.DLQ_HANDLERS = "tests.sample_handlers"
    for _ in range(3):
        letter("order.lost")
    letter("order.created")
    answer = operator.post("/dead-letters/operations/", {"kind": "retry", "scope": "all", "filter": ""})
    text = " ".join(answer.content.decode().split())
    assert "3 — no handler is declared for event type &#x27;order.lost&#x27;" in text
    assert "Retry now 1" in text
