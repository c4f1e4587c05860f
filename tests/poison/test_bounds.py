"""No page and no list takes a whole payload, or any whole text, out of the database."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.db import connection
from django.urls import reverse
from django.utils.timezone import now

from dlqconsole.engine.models import ArchivedMessage, Message
from tests.plain_sql import column, execute
from tests.poison.conftest import insert

pytestmark = pytest.mark.django_db

LONG = "x" * 1_000_000
JSON_LONG = f'"{LONG}"'
# bytes of one value that a list may take, and that a page of one may: there bytes travel as hex
LIST_LIMIT, PAGE_LIMIT = 4_096, 600_000
PAYLOAD_COLUMNS = {"payload", "payload_raw", "headers"}
LISTS = [
    "/", "/dead-letters/", "/dead-letters/?q=order", "/dead-letters/?payload.a=1", "/dead-letters/?reason=x",
    "/groups/", "/queues/", "/queues/orders/", "/queues/orders/messages/",
    "/queues/orders/messages/?list=scheduled", "/queues/orders/messages/?list=waiting",
    "/queues/orders/messages/?list=held",
    "/queues/orders/archive/", "/schedules/", "/audit/", "/operations/", "/metrics",
    "/admin/dlq_engine/deadletter/", "/admin/dlq_engine/message/", "/admin/dlq_engine/failuregroup/",
]  # fmt: skip


@pytest.fixture
def letter() -> int:
    """The newer of two dead letters: one of JSON and one of bytes, whose every text is a megabyte long."""
    texts = {"error_reason": f"Refused: {LONG}", "error_stacktrace": LONG, "headers": f'{{"h": {JSON_LONG}}}'}
    insert(queue="orders", payload=None, payload_raw=LONG.encode(), **texts)
    texts_of_a_message = {"queue": "orders", "payload": {"x": LONG}, "headers": {"h": LONG}}
    for status in ("pending", "scheduled", "waiting", "held"):
        made = Message.objects.create(**texts_of_a_message, last_error=LONG, group_key="g")
        Message.objects.filter(pk=made.pk).update(status=status)
    ArchivedMessage.objects.create(
        id=1, **texts_of_a_message, priority=0, retry_count=1, created_at=now(), archived_at=now(),
        keep_until=now(),
    )  # fmt: skip
    return insert(queue="orders", payload=JSON_LONG, **texts)


@contextmanager
def taken() -> Iterator[dict[str, int]]:
    """The longest value of each column that leaves the database meanwhile, in bytes."""
    longest: dict[str, int] = {}

    def look(execute, sql, params, many, context):
        done = execute(sql, params, many, context)
        result = context["cursor"].pgresult
        for place in range(result.nfields if result else 0):
            name = result.fname(place).decode()
            sizes = [len(result.get_value(row, place) or b"") for row in range(result.ntuples)]
            longest[name] = max(longest.get(name, 0), *sizes, 0)
        return done

    with connection.execute_wrapper(look):
        yield longest


def too_long(longest: dict[str, int], limit: int) -> dict[str, int]:
    return {name: size for name, size in longest.items() if size > limit}


def test_a_list_takes_the_beginning_of_each_text(letter, admin_user_client):
    for address in LISTS:
        with taken() as longest:
            assert admin_user_client.get(address).status_code == 200, address
        assert longest, address
        assert too_long(longest, LIST_LIMIT) == {}, address
        assert not PAYLOAD_COLUMNS & longest.keys(), address


def test_a_list_on_the_command_line_does_too(letter, capsys):
    for options in ([], ["--json"], ["--q", "order"]):
        with taken() as longest:
            call_command("deadletters", "list", *options)
        assert too_long(longest, LIST_LIMIT) == {}, options
        assert not PAYLOAD_COLUMNS & longest.keys(), options


def test_a_page_of_one_takes_what_it_shows(letter, admin_user_client):
    (group,) = column("SELECT group_id FROM dlq_events WHERE id = %s", letter)
    (message,) = column("SELECT max(id) FROM message_queue")
    for address in (
        f"/dead-letters/{letter}/",
        f"/dead-letters/{letter - 1}/",
        reverse("dlq:group", args=[group]),
        reverse("dlq:queue_message", args=["orders", message]),
        reverse("admin:dlq_engine_deadletter_change", args=[letter]),
        reverse("admin:dlq_engine_message_change", args=[message]),
    ):
        with taken() as longest:
            assert admin_user_client.get(address, follow=True).status_code == 200
        assert too_long(longest, PAGE_LIMIT) == {}, address


def test_a_message_held_to_the_end_of_the_calendar_harms_no_list(admin_user_client):
    made = Message.objects.create(queue="orders", payload={})
    moments = "lease_until = '9998-12-31 23:00+00', dequeued_time = '1900-01-02 00:00+00'"
    execute(f"UPDATE message_queue SET status = 'processing', {moments}")
    for address in (
        "/queues/",
        "/queues/orders/",
        "/queues/orders/messages/",
        f"/queues/orders/messages/{made.pk}/",
        reverse("admin:dlq_engine_message_changelist"),
        reverse("admin:dlq_engine_message_change", args=[made.pk]),
    ):
        answer = admin_user_client.get(address)
        assert answer.status_code == 200, address
