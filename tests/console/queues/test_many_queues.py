"""More queues than one page holds: each is found, and nothing is cut without a word."""

import json

import pytest
from django.core.management import call_command

from dlqconsole.console.monitoring import prometheus
from dlqconsole.console.queues import list_views
from dlqconsole.engine.models import Message
from dlqconsole.engine.queues import known
from tests.console.monitoring.test_metrics import scraped
from tests.console.queues.purges import purged
from tests.console.queues.test_queues import words
from tests.plain_sql import column, execute
from tests.sizes import sized

pytestmark = pytest.mark.django_db

MANY = 1_105


@pytest.fixture
def crowd(letter):
    """Queues known by messages, a policy, a group, a message held back, their consumers and dead letters."""
    execute(
        "INSERT INTO message_queue (queue, payload) SELECT 'queue ' || i, '{}' FROM generate_series(1, %s) i",
        MANY,
    )
    execute("INSERT INTO queues (name) SELECT 'rule-' || i FROM generate_series(1, 20) i")
    execute(
        "INSERT INTO message_queue (queue, payload, group_key) SELECT 'zz.group', '{}', 'g'"
        " FROM generate_series(1, 2)"
    )
    execute("INSERT INTO queue_activity (queue, minute, completed) VALUES ('zz.busy', now(), 3)")
    Message.objects.create(queue="zz.important", payload={})
    letter(queue="zz.letters", status="EXHAUSTED")
    return {f"queue {i}" for i in range(1, MANY + 1)} | {f"rule-{i}" for i in range(1, 21)} | {
        "zz.group", "zz.busy", "zz.important", "zz.letters",
    }  # fmt: skip


@pytest.mark.sized
@pytest.mark.parametrize("size", [sized(31, 7), 100, 1_000, 5_000])
def test_pages_hold_every_queue_once_and_in_order(crowd, size):
    names = [row["name"] for row in known.metrics(size)]
    assert len(names) == len(set(names))
    assert set(names) == crowd
    assert column("SELECT name FROM unnest(%s::text[]) name ORDER BY name", names) == names
    assert list(known.names(size)) == names


def test_what_is_not_wanted_takes_no_place(crowd):
    without = {f"queue {i}" for i in range(1, 500)}
    found = known.page("", 100, without=without)
    assert len(found.rows) == 100
    assert not {row["name"] for row in found.rows} & without
    assert {row["name"] for row in known.metrics(100, without=without)} == crowd - without


def test_the_page_of_queues_leads_to_all_of_them(crowd, viewer):
    address, seen = "/queues/", []
    while address:
        answer = viewer.get(address)
        seen += [row["name"] for row in answer.context["queues"]]
        assert len(answer.context["queues"]) <= list_views.PAGE
        address = answer.context["next_url"] and f"/queues/{answer.context['next_url']}"
    assert len(seen) == len(crowd)
    assert set(seen) == crowd


def test_a_queue_is_found_by_its_name(crowd, viewer):
    assert "From the name" in words(viewer.get("/queues/"))
    answer = viewer.get("/queues/?from=zz.important")
    assert [row["name"] for row in answer.context["queues"]] == ["zz.important", "zz.letters"]
    assert "From the beginning" in words(answer)
    assert "No queue from this name on" in words(viewer.get("/queues/?from=zzz"))
    assert viewer.get("/queues/?from=%00").status_code == 200


def test_few_queues_need_no_search(viewer):
    Message.objects.create(queue="orders", payload={})
    assert "From the name" not in words(viewer.get("/queues/"))


def test_the_overview_says_how_many_it_does_not_show(crowd, viewer):
    assert "The first 12 by name, of 1,000+. All queues" in words(viewer.get("/"))


def test_the_command_lists_them_all(crowd, capsys):
    call_command("queues", "--json")
    found = {row["name"] for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert found == crowd
    call_command("queues")
    assert "\nzz.important " in capsys.readouterr().out


def test_prometheus_gets_them_all_or_learns_how_many_are_left_out(crowd, viewer, monkeypatch):
    found = scraped(viewer.get("/metrics"))
    assert found["dlq_queue_messages", "zz.important", "visible"] == 1
    assert found["dlq_queues_left_out",] == 0
    rows, left_out = prometheus._ours(-1, ())
    assert (rows, left_out) == ([], len(crowd))


def test_the_number_on_the_button_of_a_purge_is_the_number_that_goes(crowd, operator):
    for number in range(3):
        Message.objects.create(queue="zz.important", payload={}, priority=number)
    later = {"status": "scheduled", "next_retry_at": "2999-01-01T00:00Z"}
    Message.objects.create(queue="zz.important", payload={}, **later)
    address = "/queues/zz.important/purge/"
    page = operator.get(address)
    assert "Purge 5 Back" in words(page)
    before = Message.objects.count()
    assert purged(operator, "zz.important").context["operation"].done == 5
    assert before - Message.objects.count() == 5
