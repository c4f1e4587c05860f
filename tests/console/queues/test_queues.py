"""Queues as people see and change them: the list, one queue, what can be done to it, its archive."""

import html
import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from dlqconsole.core import messages
from dlqconsole.core.lifecycle.states import OPEN, DeadLetterStatus
from dlqconsole.engine.models import (
    ArchivedMessage,
    AuditEntry,
    DeadLetter,
    Message,
    Queue,
    QueueActivity,
)
from dlqconsole.engine.queues import changes as queues
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import run
from dlqconsole.transports import attachments
from dlqconsole.transports.models import AttachedQueue
from tests.accounts import actor_of
from tests.console.queues.purges import purge_form, purged
from tests.page_words import words
from tests.plain_sql import execute
from tests.transports.conftest import new_pgmq_queue, pgmq  # noqa: F401 - a fixture

WHO = {"actor": "user:ann", "reason": "new"}
ODD = [
    "a b",
    "a/b",
    "é中文",
    "x" * 255,
    "<script>alert(1)</script>",
    "100%",
    "..",
    "=YQ",
    "a?b#c",
    "\u202eevil",
    "new",
]


@pytest.fixture
def send(db):
    """send("orders", 3) puts three messages on that queue."""

    def put(queue: str, count: int = 1) -> None:
        for number in range(count):
            messages.send(queue, json.dumps({"order_id": number}))

    return put


def test_the_list_shows_each_queue_with_its_figures(viewer, send):
    send("orders", 3)
    messages.claim("orders", 1, "me", 60)
    QueueActivity.objects.create(
        queue="orders", minute=timezone.now() - timedelta(minutes=2), completed=10, retried=10
    )
    queues.create("bills", **WHO)
    queues.pause("bills", **WHO)
    text = words(viewer.get("/queues/"))
    assert re.search(r"orders 2 1 0 0 0 \d s", text)
    assert "bills Paused 0 0 0 0 0 — 0" in text


def test_without_queues_the_page_says_how_one_begins(viewer):
    assert "No queue yet" in words(viewer.get("/queues/"))


def test_a_queue_that_nobody_consumes_says_so_and_what_to_do(viewer, send):
    send("orders")
    Message.objects.update(created_at="2026-01-01T00:00:00Z", next_retry_at="2026-01-01T00:00:00Z")
    for page in ("/queues/", "/queues/orders/"):
        assert "Nobody consumes it. Start a consumer: manage.py consume orders" in words(viewer.get(page))


@pytest.mark.parametrize("name", ODD)
def test_whatever_plain_sql_called_a_queue_its_pages_and_links_work(admin_user_client, name):
    execute("INSERT INTO message_queue (queue, payload) VALUES (%s, '{}')", name)
    answer = admin_user_client.get("/queues/")
    assert "<script>alert" not in answer.content.decode()
    address = reverse("dlq:queue", args=[name])
    assert f'href="{html.escape(address)}"' in answer.content.decode()
    shown = admin_user_client.get(address)
    assert (shown.status_code, shown.context["queue"]["name"]) == (200, name)
    for action in ("policy", "pause", "resume", "purge", "drop", "archive"):
        page = admin_user_client.get(reverse(f"dlq:queue_{action}", args=[name]))
        assert page.status_code == 200
        assert "<script>alert" not in page.content.decode()
    assert purged(admin_user_client, name).status_code == 200
    assert not Message.objects.exists()
    assert admin_user_client.get("/audit/").status_code == 200


@pytest.mark.parametrize(
    "address", ["/queues/nope/", "/queues/==/", "/queues/=AAA%00/", "/queues/%00/", "/queues/=_w/"]
)
def test_an_unknown_queue_is_a_page_that_says_so(viewer, address):
    assert viewer.get(address).status_code == 404


def test_a_queue_has_its_policy_its_last_hour_and_its_history(viewer, send):
    queues.create("orders", **WHO, lease_seconds=90, rate_limit=2)
    queues.change("orders", actor="user:ben", reason="slow handler", lease_seconds=120)
    QueueActivity.objects.create(
        queue="orders", minute=timezone.now().replace(second=0, microsecond=0), completed=7, dead_lettered=2
    )
    answer = viewer.get("/queues/orders/")
    text = words(answer)
    for said in ("Lease 120 s", "2 claims a second", "7 completed, 2 failed; at most 9 in one minute"):
        assert said in text
    assert "user:ben lease seconds 90 → 120 slow handler" in text
    assert answer.content.decode().count("<rect") == 2


def test_a_viewer_sees_every_button_and_why_it_does_nothing(viewer, operator, send):
    send("orders")
    for label in ("Pause", "Change", "Purge…"):
        assert f"{label} : Viewers may look but not change." in words(viewer.get("/queues/orders/"))
    assert "/queues/orders/purge/" in operator.get("/queues/orders/").content.decode()
    assert "Drop : Only an admin may drop a queue." in words(operator.get("/queues/orders/"))


def test_an_operator_pauses_and_resumes_with_a_reason(operator, send):
    send("orders")
    assert operator.post("/queues/orders/pause/", {"reason": " "}).status_code == 422
    assert not Queue.objects.exists()
    assert operator.post("/queues/orders/pause/", {"reason": "deploy"})["Location"] == "/queues/orders/"
    assert messages.claim("orders", 1, "me", 60) == []
    assert "Paused" in words(operator.get("/queues/orders/"))
    operator.post("/queues/orders/resume/", {"reason": "deployed"})
    assert len(messages.claim("orders", 1, "me", 60)) == 1
    assert list(AuditEntry.objects.order_by("id").values_list("actor", "action", "reason")) == [
        (actor_of("operator"), "pause", "deploy"), (actor_of("operator"), "resume", "deployed"),
    ]  # fmt: skip


def test_a_purge_needs_its_count_typed_and_takes_no_more_than_was_shown(operator, send):
    send("orders", 12)
    page = operator.get("/queues/orders/purge/")
    assert "Purge 12 messages" in words(page)
    assert "Type 12 to show that you mean all of them" in words(page)
    form = purge_form(page) | {"reason": "test data", "typed_count": "11"}
    refused = operator.post("/operations/", form)
    assert refused.status_code == 422
    assert "Type 12 to confirm" in words(refused)
    assert not Operation.objects.exists()
    send("orders")
    answer = operator.post("/operations/", form | {"typed_count": "12"}, follow=True)
    run.take_up()
    assert answer.context["operation"].expected == 12
    receipt = words(operator.get(answer.redirect_chain[0][0]))
    assert "Purge 12 messages Completed" in receipt
    assert "1 that came later matches too; it is not included." in receipt
    assert Message.objects.count() == 1
    shown = words(operator.get("/queues/orders/"))
    assert "12 of 12 messages purged, completed: operation" in shown
    assert "Purge 12 messages" in words(operator.get("/operations/"))


def test_a_purge_says_beforehand_what_becomes_of_each(operator, send, letter):
    queues.create("orders", **WHO, retention="archive", archive_days=9)
    send("orders", 3)
    messages.send("orders", b"{}", delay=3600.0)
    one = letter(queue="orders")
    execute("SELECT dead_letter_revive(%s)", one)
    messages.claim("orders", 1, "me", 60)
    page = operator.get("/queues/orders/purge/")
    until = (timezone.now() + timedelta(days=9)).strftime("%Y-%m-%d")
    for said in (
        "Purge 4 messages",
        "this cannot be undone",
        "In flight, left 1",
        f"After that archived until {until}",
        "Revived dead letters 1 go back to where they were",
        "Waits for a consumer 3",
        "Scheduled for later 1",
        "Pause the queue to keep it still",
    ):
        assert said in words(page), said
    queues.change("orders", **WHO, retention="delete")
    queues.pause("orders", **WHO)
    page = words(operator.get("/queues/orders/purge/"))
    assert "After that gone for good" in page
    assert "Pause the queue" not in page


def test_a_large_purge_waits_for_a_second_person(operator, admin_user_client, send, settings):
    settings.DLQ_FOUR_EYES_ABOVE = 2
    send("orders", 3)
    page = operator.get("/queues/orders/purge/")
    assert "A second person has to approve: these are more than 2." in words(page)
    form = purge_form(page) | {"reason": "test data", "typed_count": "3"}
    operator.post("/operations/", form)
    run.take_up()
    operation = Operation.objects.get()
    assert "messages of the queue “orders”" in words(admin_user_client.get("/operations/"))
    operator.post(f"/operations/{operation.pk}/approval/", {"typed_count": "3"})
    assert Message.objects.count() == 3
    admin_user_client.post(f"/operations/{operation.pk}/approval/")
    run.take_up()
    assert Message.objects.count() == 0


def test_neither_the_list_nor_a_group_offers_the_purge_of_a_queue(operator, letter):
    one = letter()
    group = DeadLetter.objects.get().group_id
    for address in ("/dead-letters/", f"/groups/{group}/", f"/dead-letters/{one}/"):
        assert "purge_queue" not in operator.get(address).content.decode()
    answer = operator.post("/operations/", {"kind": "purge_queue", "scope": "all", "filter": ""}, follow=True)
    assert "Choose what to do: retry, " in words(answer)
    answer = operator.post("/operations/", {"kind": "revive", "scope": "queue", "of_queue": "a"}, follow=True)
    assert "Choose what to do: purge_queue." in words(answer)


def test_a_queue_where_nothing_stands_has_a_purge_that_says_so(operator):
    queues.create("orders", **WHO)
    page = operator.get("/queues/orders/purge/")
    assert "Purge : Nothing stands on it that a purge would remove." in words(page)


def test_only_an_admin_drops_a_queue_and_only_an_empty_one(operator, admin_user_client, send):
    queues.create("orders", **WHO)
    send("orders", 2)
    assert operator.post("/queues/orders/drop/", {"reason": "old"}).status_code == 403
    assert "Purge it first" in words(admin_user_client.get("/queues/orders/drop/"))
    messages.claim("orders", 2, "me", 60)
    assert "Wait for the consumers" in words(admin_user_client.get("/queues/orders/drop/"))
    Message.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert "In flight, left 0 (2 more, whose lease has run out, go too)" in words(
        operator.get("/queues/orders/purge/")
    )
    answer = admin_user_client.post("/queues/orders/drop/", {"reason": "old"})
    assert answer.status_code == 422
    assert "holds 2 messages" in words(answer)
    purged(operator, "orders")
    said = admin_user_client.post("/queues/orders/drop/", {"reason": "old"}, follow=True)
    assert "The queue orders is gone." in words(said)
    assert not Queue.objects.exists()


def form_of(answer) -> dict[str, str]:
    """A form's fields as a browser would post them untouched."""
    parts = answer.context["form"].parts
    return {part.name: part.value() for part in parts} | {
        f"was_{part.name}": was(part, answer) for part in parts
    }


def was(part, answer) -> str:
    """The hidden field that says what the person saw."""
    name = re.escape(f"was_{part.name}")
    [found] = re.findall(rf'<input type="hidden" name="{name}"(?: value="([^"]*)")?', answer.content.decode())
    return found


def test_a_policy_is_changed_and_what_others_changed_meanwhile_stays(operator):
    queues.create("orders", **WHO)
    form = form_of(operator.get("/queues/orders/policy/"))
    queues.change("orders", **WHO, max_retries=9)
    changed = form | {"lease_seconds": "120", "rate_limit": "2.5", "fifo_groups": "no", "reason": "slow"}
    assert operator.post("/queues/orders/policy/", changed)["Location"] == "/queues/orders/"
    queue = Queue.objects.get()
    assert (queue.lease_seconds, queue.rate_limit, queue.fifo_groups, queue.max_retries) == (
        120,
        2.5,
        False,
        9,
    )
    back = form_of(operator.get("/queues/orders/policy/")) | {"rate_limit": "", "reason": "fast again"}
    operator.post("/queues/orders/policy/", back)
    assert Queue.objects.get().rate_limit is None


@pytest.mark.parametrize(
    ("field", "value"),
    [("lease_seconds", "0"), ("lease_seconds", "abc"), ("lease_seconds", ""), ("backoff_jitter", "nan"),
     ("backoff_factor", "9" * 5000), ("retention", "burn"), ("unlogged", "maybe"), ("archive_days", "1.5")],
)  # fmt: skip
def test_a_wrong_value_is_a_sentence_and_the_form_keeps_what_was_typed(operator, field, value):
    queues.create("orders", **WHO)
    form = form_of(operator.get("/queues/orders/policy/"))
    answer = operator.post("/queues/orders/policy/", form | {field: value, "max_retries": "7", "reason": "r"})
    assert answer.status_code == 422
    assert field.replace("_", " ").capitalize() in words(answer)
    assert answer.context["form"]["max_retries"].value() == "7"
    assert Queue.objects.get().max_retries == 3


def test_a_queue_is_made_by_an_operator(operator):
    form = form_of(operator.get("/queues/new"))
    assert operator.post("/queues/new", form | {"name": "a" * 256, "reason": "new"}).status_code == 422
    answer = operator.post("/queues/new", form | {"name": "orders", "retention": "archive", "reason": "new"})
    assert answer["Location"] == "/queues/orders/"
    assert Queue.objects.get().retention == "archive"
    assert AuditEntry.objects.get().detail == {"retention": "archive"}


def test_a_queue_of_a_system_that_does_not_answer_is_listed_with_the_reason(viewer, settings):
    settings.DLQ_MYSQL_URL = ""
    AttachedQueue.objects.create(name="pgmq:orders", transport="pgmq", remote_name="orders")
    AttachedQueue.objects.create(name="mysql:bills", transport="mysql", remote_name="bills")
    answer = viewer.get("/queues/")
    assert [row["name"] for row in answer.context["attached"]] == ["mysql:bills", "pgmq:orders"]
    assert all(row["problem"] for row in answer.context["attached"])
    assert answer.context["queues"] == []


@pytest.mark.parametrize("name", ["orders", "a b, c/d"])
def test_the_figure_of_open_dead_letters_leads_to_exactly_these(viewer, letter, send, name):
    for status in DeadLetterStatus:
        letter(queue=name, status=status)
    letter(name)
    letter("other", queue="another")
    send(name)
    at_home = {row["name"]: row for row in viewer.get("/").context["queues"]}
    listed = {row["name"]: row for row in viewer.get("/queues/").context["queues"]}
    row = viewer.get(reverse("dlq:queue", args=[name])).context["queue"]
    assert at_home[name]["dead_letters_url"] == listed[name]["dead_letters_url"] == row["dead_letters_url"]
    found = viewer.get(row["dead_letters_url"]).context["rows"]
    assert len(found) == row["dead_letters"] == at_home[name]["dead_letters"] == len(OPEN) + 1
    assert {each["status"] for each in found} == {*OPEN}


@pytest.mark.usefixtures("pgmq")
@pytest.mark.django_db(transaction=True)
def test_an_attached_queue_is_listed_with_what_stands_on_it_over_there(viewer, letter):
    with new_pgmq_queue() as remote, connection.cursor() as cursor:
        name = f"pgmq:{remote}"
        attachments.attach(name, actor="test")
        cursor.execute("SELECT pgmq.send(%s, '{}') FROM generate_series(1, 3)", [remote])
        cursor.execute("SELECT pgmq.read(%s, 60, 1)", [remote])
        letter(queue=name)
        answer = viewer.get("/queues/")
        [row] = answer.context["attached"]
        assert (row["visible"], row["in_flight"], row["dead_letters"]) == (2, 1, 1)
        assert answer.context["queues"] == []
        assert f"{name} 2 1" in words(answer)


@pytest.fixture
def archived(send):
    """120 archived messages of orders, the newest of now."""
    queues.create("orders", **WHO, retention="archive")
    send("orders", 120)
    while claims := messages.claim("orders", 50, "me", 60):
        messages.complete(claims)
    execute(
        "UPDATE message_archive SET archived_at = now() - interval '1 minute'"
        " * (1 + id - (SELECT min(id) FROM message_archive))"
    )


def test_the_archive_is_read_page_by_page_and_by_id_and_time(viewer, archived):
    seen, address = [], "/queues/orders/archive/"
    while address:
        answer = viewer.get(address)
        seen += [row["id"] for row in answer.context["rows"]]
        following = answer.context["next_url"]
        address = following and f"/queues/orders/archive/{following}"
    assert seen == sorted(ArchivedMessage.objects.values_list("id", flat=True))
    assert len(seen) == 120
    one = viewer.get(f"/queues/orders/archive/?id={seen[5]}")
    assert [row["id"] for row in one.context["rows"]] == [seen[5]]
    assert '{"order_id": 5}' in words(one)
    newest = viewer.get("/queues/orders/archive/?since=1h")
    assert 0 < len(newest.context["rows"]) <= 60


@pytest.mark.parametrize("query", ["id=abc", "since=yesterdayish", "id=" + "9" * 30, "until=%00"])
def test_a_wrong_search_of_the_archive_is_a_sentence(viewer, archived, query):
    answer = viewer.get(f"/queues/orders/archive/?{query}")
    assert answer.status_code == 400
    assert answer.context["rows"] == []
    assert "_error" in answer.content.decode()


def test_a_search_of_the_archive_keeps_what_was_typed(viewer, archived):
    answer = viewer.get("/queues/orders/archive/?id=seven&since=2026-02-01&until=2026-01-01")
    text = answer.content.decode()
    assert 'value="seven"' in text
    assert text.count("The message id must be a whole number, not “seven”.") == 2
    assert 'value="2026-02-01"' in text
    backwards = viewer.get("/queues/orders/archive/?since=2026-02-01&until=2026-01-01")
    assert backwards.status_code == 400
    assert backwards.context["form"].sentences


@pytest.mark.parametrize(
    "place", ["x", "2026-01-01 1", "%00", "9999-12-31T23:59:59+00:00 1", "2026-01-01T00:00:00Z -1"]
)
def test_a_wrong_place_in_the_archive_begins_at_the_beginning(viewer, archived, place):
    assert viewer.get(f"/queues/orders/archive/?before={place}").status_code == 200
