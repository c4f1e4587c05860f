"""Periodic handlers: one message for each tick, however many processes there are."""

import os
import subprocess
import sys
from functools import partial

import pytest

from dlqconsole.core import handling
from dlqconsole.core.messages.ticks import PeriodicSender, last_ticks
from dlqconsole.engine.models import EnrichedEvent, Message, Queue
from dlqconsole.operations.tasks import keep_time
from dlqconsole.processing.errors import HandlerSetupError
from dlqconsole.processing.handlers import Declaration, Period, Registry
from tests.operations.processes import Processes, address_here
from tests.plain_sql import execute
from tests.threads import at_once
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def declare(monkeypatch):
    """declare("day.closed", "0 6 * * *") makes this the only periodic handler of this process."""

    def make(event_type="day.closed", cron="0 6 * * *", timezone="UTC", queue=""):
        period = Period(cron, timezone, queue)
        declaration = Declaration(event_type, lambda event, lookups: None, None, {}, period=period)
        registry = Registry([declaration])
        monkeypatch.setattr(handling, "registry", lambda: registry)
        monkeypatch.setattr("dlqconsole.core.messages.ticks.registry", lambda: registry)

    return make


def set_back(days):
    """Have nobody been there for some days."""
    execute("UPDATE periodic_ticks SET tick = tick - make_interval(days => %s)", days)


def test_a_new_handler_waits_for_its_next_tick(declare):
    declare()
    assert PeriodicSender().send_due() == 0
    (row,) = last_ticks()
    assert (row["event_type"], row["cron"], row["message_id"]) == ("day.closed", "0 6 * * *", None)


def test_after_a_pause_the_latest_tick_alone_is_sent(declare):
    declare(queue="ledger")
    ticker = PeriodicSender()
    ticker.send_due()
    set_back(days=5)
    assert PeriodicSender().send_due() == 1
    message = Message.objects.get()
    (row,) = last_ticks()
    tick = f"{row['tick']:%Y-%m-%dT%H:%M:%SZ}"
    assert (message.queue, message.id) == ("ledger", row["message_id"])
    assert message.payload == {
        "specversion": "1.0",
        "type": "day.closed",
        "source": "periodic",
        "id": f"day.closed {tick}",
        "time": tick,
        "data": {},
    }
    message.delete()
    assert PeriodicSender().send_due() == 0, "a message that was handled is not sent again"


def test_a_handler_that_is_gone_is_called_no_more(declare):
    declare()
    PeriodicSender().send_due()
    set_back(days=5)
    declare(event_type="week.closed", cron="0 6 * * MON")
    PeriodicSender().send_due()
    assert not Message.objects.exists()


def test_it_is_sent_to_the_queue_of_its_name(declare):
    declare()
    PeriodicSender().send_due()
    set_back(days=1)
    keep_time()
    assert Message.objects.get().queue == "day.closed"


def test_a_queue_that_cannot_be_is_refused(declare):
    declare(event_type="d" * 256)
    with pytest.raises(HandlerSetupError, match=r"@periodic of 'd+': A queue cannot be called"):
        PeriodicSender().send_due()


def test_the_schedules_page_shows_its_last_tick_and_whether_the_next_is_late(declare, viewer):
    declare(queue="ledger")
    PeriodicSender().send_due()
    assert b"before the handler was there" in viewer.get("/schedules/").content
    set_back(days=5)
    page = viewer.get("/schedules/").content.decode()
    assert "day.closed" in page
    assert "Not sent: no process has this handler." in page


def test_many_sessions_send_each_tick_once():
    script = (
        "import os, psycopg\n"
        "with psycopg.connect(os.environ['DATABASE_URL'], autocommit=True) as db:\n"
        "    for day in range(60):\n"
        "        db.execute('SELECT periodic_send(%s, %s, %s, %s, %s)',"
        " ('day.closed', '0 6 * * *', 'UTC', 'ledger', f'2026-{1 + day // 28}-{1 + day % 28} 06:00Z'))\n"
    )
    environment = os.environ | {"DATABASE_URL": address_here()}

    at_once([partial(subprocess.run, [sys.executable, "-c", script], env=environment, check=True)] * 6)
    times = Message.objects.order_by("id").values_list("payload__time", flat=True)
    assert list(times) == sorted(set(times))
    assert len(times) == 59


@pytest.mark.faults
def test_of_several_consumers_one_sends_and_handles_a_tick():
    Queue.objects.create(name="minute.passed")
    execute(
        "INSERT INTO periodic_ticks (event_type, cron, timezone, queue, tick)"
        " VALUES ('minute.passed', '* * * * *', 'UTC', 'minute.passed', '2026-01-01Z')"
    )
    with Processes(DLQ_HANDLERS="tests.core.periodic_handlers") as processes:
        for _ in range(3):
            processes.begin("manage.py", "consume", "minute.passed")
        eventually(lambda: EnrichedEvent.objects.exists(), 60)
    records = EnrichedEvent.objects.order_by("id").values_list("record", flat=True)
    ticks = [record["tick"] for record in records]
    assert ticks == sorted(set(ticks)), "each tick once: more than one where a minute has passed meanwhile"
