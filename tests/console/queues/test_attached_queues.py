"""Queues of other systems: their numbers are their system's, wherever they are shown, or not known."""

import json
import socket
import threading
import time
from contextlib import closing, contextmanager
from functools import partial

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine.database.sessions import own_connection
from dlqconsole.engine.known_handlers import CONSUMER, ProcessHeartbeat
from dlqconsole.engine.models import AuditEntry, HandlerReport, Message, Queue
from dlqconsole.transports import attachments, relay, remote_metrics
from dlqconsole.transports.models import AttachedQueue
from tests.console.monitoring.test_metrics import scraped
from tests.console.queues.purges import purged
from tests.console.queues.test_queues import words
from tests.plain_sql import execute
from tests.transports.conftest import attached, pgmq, pgmq_queue  # noqa: F401 - fixtures
from tests.transports.mysql.mariadb import mariadb, mysql_transport  # noqa: F401 - fixtures

pytestmark = pytest.mark.django_db(transaction=True)

ACTIONS = ("policy", "drop")


@pytest.fixture(autouse=True)
def nobody_is_left_behind(monkeypatch):
    monkeypatch.setattr(remote_metrics._Request, "_left_behind", {})


@pytest.fixture
def four_in_pgmq(attached):  # noqa: F811 - the fixture
    execute("SELECT pgmq.send(%s, '{}') FROM generate_series(1, 5)", attached.remote_name)
    execute("SELECT pgmq.read(%s, 60, 1)", attached.remote_name)
    return attached


@pytest.fixture
def four_in_mysql(mariadb, mysql_transport):  # noqa: F811 - the fixtures
    for _ in range(5):
        mariadb.put(queue="bills")
    mysql_transport.claim("bills", 1, "me", 60)
    return attachments.attach("mysql:bills", actor="test")


@pytest.fixture(params=["four_in_pgmq", "four_in_mysql"])
def four(request):
    """A queue on which four messages wait and one is in flight, over there."""
    return request.getfixturevalue(request.param)


@contextmanager
def silent_server():
    """A server that takes connections and never says a word; its port."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server.getsockname()[1]


def listed(capsys, *arguments):
    capsys.readouterr()
    call_command("queues", "--json", *arguments)
    return {row["name"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}


def test_what_waits_for_a_handler_over_there_is_unknown_when_no_consumer_says_it(attached, viewer):  # noqa: F811
    sample = ("dlq_queue_unhandled_messages", attached.name)
    assert sample not in scraped(viewer.get("/metrics"))
    ProcessHeartbeat(CONSUMER, [attached.name]).beat({attached.name: {"order.lost": 3}})
    assert scraped(viewer.get("/metrics"))[sample] == 3
    HandlerReport.objects.update(seen_at="2001-01-01T00:00:00Z")
    assert sample not in scraped(viewer.get("/metrics"))


def test_every_page_and_program_shows_what_stands_over_there(four, viewer, capsys):
    name = four.name
    found = scraped(viewer.get("/metrics"))
    assert found["dlq_queue_messages", name, "visible"] == 4
    assert found["dlq_queue_messages", name, "in_flight"] == 1
    assert found["dlq_queue_oldest_due_seconds", name] > 0
    assert found["dlq_attached_queue_up", name] == 1
    row = listed(capsys)[name]
    assert (row["visible"], row["in_flight"], row["length"]) == (4, 1, 5)
    call_command("queues", "show", name)
    shown = capsys.readouterr().out
    assert "visible           4\n" in shown
    assert "on the way        0\n" in shown
    [row] = viewer.get("/queues/").context["attached"]
    assert (row["visible"], row["in_flight"]) == (4, 1)
    assert "Visible 4 In flight 1 Scheduled 0 On the way 0" in words(viewer.get(f"/queues/{name}/"))
    assert f"{name} 4 0" in words(viewer.get("/"))


def test_what_is_still_ours_is_on_the_way_and_no_message_over_there(four, viewer):
    Message.objects.create(queue=four.name, payload={})
    assert "Visible 4 In flight 1 Scheduled 0 On the way 1" in words(viewer.get(f"/queues/{four.name}/"))
    assert scraped(viewer.get("/metrics"))["dlq_attached_queue_on_the_way", four.name] == 1
    messages = viewer.get(f"/queues/{four.name}/messages/?list=here-live")
    assert "Still ours." in words(messages)
    assert len(messages.context["rows"]) == 1
    assert [row["name"] for row in viewer.get("/queues/").context["queues"]] == []


def test_a_count_that_ends_at_its_cap_says_so(mysql_transport, mariadb, viewer, monkeypatch):  # noqa: F811
    monkeypatch.setattr("dlqconsole.transports.mysql.source.COUNT_CAP", 3)
    for _ in range(4):
        mariadb.put(queue="bills")
    attachments.attach("mysql:bills", actor="test")
    [row] = viewer.get("/queues/").context["attached"]
    assert row["visible"] == "3+"
    assert scraped(viewer.get("/metrics"))["dlq_queue_capped", "mysql:bills"] == 1


def test_a_queue_whose_database_is_away_says_so_and_when_it_was_last_seen(
    four_in_mysql, viewer, settings, capsys
):
    seen = AttachedQueue.objects.get().seen_at
    assert seen is not None
    settings.DLQ_MYSQL_URL = "mysql://nobody@127.0.0.1:1/none"
    page = words(viewer.get("/queues/mysql:bills/"))
    assert "Visible ? In flight ? Scheduled ?" in page
    assert "Its messages are not known" in page
    assert f"It was last seen {seen:%Y-%m-%d %H:%M:%S} UTC" in page
    [row] = viewer.get("/queues/").context["attached"]
    assert row["visible"] == "?"
    found = scraped(viewer.get("/metrics"))
    assert ("dlq_queue_messages", "mysql:bills", "visible") not in found
    assert ("dlq_queue_oldest_due_seconds", "mysql:bills") not in found
    assert found["dlq_attached_queue_up", "mysql:bills"] == 0
    assert found["dlq_attached_queue_seen_timestamp_seconds", "mysql:bills"] == pytest.approx(
        seen.timestamp()
    )
    row = listed(capsys)["mysql:bills"]
    assert row["visible"] is None
    assert "It was last seen" in row["warnings"][0]
    call_command("queues")
    assert "mysql:bills  ?" in " ".join(capsys.readouterr().out.split()).replace(" ?", "  ?", 1)


def test_a_system_that_says_nothing_holds_up_neither_the_page_nor_the_others(four_in_pgmq, viewer, settings):
    AttachedQueue.objects.create(name="mysql:bills", transport="mysql", remote_name="bills")
    with silent_server() as port:
        settings.DLQ_MYSQL_URL = f"mysql://nobody@127.0.0.1:{port}/none"
        for address in ("/queues/", "/metrics", "/", "/queues/mysql:bills/"):
            began = time.monotonic()
            answer = viewer.get(address)
            took = time.monotonic() - began
            assert answer.status_code == 200
            # whoever comes after the first does not even wait
            assert took < remote_metrics.SECONDS + 1.5 if address == "/queues/" else took < 1.5
            if address == "/queues/":
                away, there = answer.context["attached"]
                assert (away["visible"], there["visible"]) == ("?", 4)
                assert "It has not answered for" in away["problem"]
                assert "It has not been seen yet." in away["warnings"][0]


def test_many_who_look_while_a_system_is_silent_make_few_threads(viewer, settings):
    AttachedQueue.objects.create(name="mysql:bills", transport="mysql", remote_name="bills")
    with silent_server() as port:
        settings.DLQ_MYSQL_URL = f"mysql://nobody@127.0.0.1:{port}/none"
        for _ in range(10):
            remote_metrics.look(AttachedQueue.objects.all(), 0.1)
        assert [thread.name for thread in threading.enumerate()].count("looks at mysql") == 1


def test_a_table_that_somebody_has_locked_costs_only_its_own_figures(four_in_pgmq, viewer):
    execute("SELECT pgmq.create('locked')")
    attachments.attach("pgmq:locked", actor="test")
    try:
        with closing(own_connection()) as other, other.transaction():
            other.execute("LOCK TABLE pgmq.q_locked")
            began = time.monotonic()
            found = {row["name"]: row for row in viewer.get("/queues/").context["attached"]}
            assert time.monotonic() - began < remote_metrics.SECONDS + 1.5
            assert "takes longer than" in found["pgmq:locked"]["problem"]
            assert found[four_in_pgmq.name]["visible"] == 4
            assert scraped(viewer.get("/metrics"))["dlq_attached_queue_up", "pgmq:locked"] == 0
    finally:
        execute("SELECT pgmq.drop_queue('locked')")


def test_the_relay_notes_when_a_system_answered(four):
    AttachedQueue.objects.update(seen_at=None)
    relay.run_once()
    assert AttachedQueue.objects.get().seen_at is not None


def test_who_looks_does_not_wait_for_a_relay_that_has_the_row(four_in_pgmq):
    AttachedQueue.objects.update(seen_at=None)
    with closing(own_connection()) as other, other.transaction():
        other.execute("SELECT 1 FROM attached_queues FOR UPDATE")
        began = time.monotonic()
        [seen] = remote_metrics.look(AttachedQueue.objects.all()).values()
        assert seen.visible == 4
        assert time.monotonic() - began < 1


@pytest.mark.parametrize("role", ["viewer", "operator", "admin_user_client"])
def test_what_cannot_be_done_over_there_is_a_button_that_says_why(four_in_pgmq, request, role):
    person, name = request.getfixturevalue(role), four_in_pgmq.name
    page = person.get(f"/queues/{name}/")
    refused = [action for action in page.context["actions"] if action["why_not"]]
    assert [action["label"] for action in refused] == (
        ["Pause", "Change", "Purge…", "Drop"] if role == "viewer" else ["Change", "Drop"]
    )
    for action in refused:
        assert action["why_not"] in words(page).replace("&#x27;", "'")
        assert f'href="{action["url"]}"' not in page.content.decode()


@pytest.mark.parametrize("action", ACTIONS)
def test_whoever_asks_all_the_same_is_told_and_nothing_is_changed(
    four_in_pgmq, admin_user_client, capsys, action
):
    name = four_in_pgmq.name
    Message.objects.create(queue=name, payload={})
    audited = AuditEntry.objects.count()
    form = {"reason": "x", "max_retries": "9"}
    post = partial(admin_user_client.post, data=form)
    for ask in (admin_user_client.get, post):
        answer = ask(f"/queues/{name}/{action}/", follow=True)
        assert answer.redirect_chain == [(f"/queues/{name}/", 302)]
        assert "Nothing was changed." in words(answer)
    verb = {"policy": ["change", name, "--max-retries", "9"], "drop": ["drop", name]}
    with pytest.raises(CommandError, match=r"^Nothing was changed\. "):
        call_command("queues", *verb[action], "--because", "x")
    assert Message.objects.count() == 1
    assert not Queue.objects.exists()
    assert AuditEntry.objects.count() == audited


def test_consumers_that_leave_it_alone_can_be_told_to_go_on(four_in_pgmq, operator):
    execute(
        "INSERT INTO breakers (key, state, failures, next_probe_at, reason)"
        " VALUES (%s, 'open', 20, now() + interval '1 hour', 'billing is down')",
        "type:" + four_in_pgmq.name.partition(":")[2],
    )
    page = operator.get(f"/queues/{four_in_pgmq.name}/")
    assert page.context["actions"][0] | {"tone": ""} == {
        "label": "Resume",
        "icon": "right",
        "url": f"/queues/{four_in_pgmq.name}/resume/",
        "tone": "",
        "why_not": "",
        "in_dialog": False,
    }
    answer = operator.post(f"/queues/{four_in_pgmq.name}/resume/", {"reason": "mended"}, follow=True)
    assert "Consumers go on within seconds." in words(answer)


def test_a_detached_queue_whose_messages_are_left_here_can_be_purged(four_in_pgmq, operator):
    name = four_in_pgmq.name
    Message.objects.create(queue=name, payload={})
    attachments.detach(name, actor="test")
    receipt = purged(operator, name)
    assert receipt.context["operation"].done == 1
    assert not Message.objects.exists()


def test_an_attached_queue_that_nothing_of_ours_names_has_a_page(attached, viewer):  # noqa: F811
    assert viewer.get(f"/queues/{attached.name}/").status_code == 200
