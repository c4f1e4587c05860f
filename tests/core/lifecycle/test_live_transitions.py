"""Every move that the database allows is really made, by the code that makes it every day."""

from collections.abc import Iterator

import orjson
import pytest

from dlqconsole.consuming import settlement
from dlqconsole.core.dead_letters import claims as dead_letters
from dlqconsole.core.lifecycle.failures import QueuePolicy
from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.retries import run as schedule
from dlqconsole.transports import exhausted
from dlqconsole.transports.identities import handle_message
from dlqconsole.transports.native.source import NativeSource
from tests.core.lifecycle.test_recovered import recovered, report
from tests.core.lifecycle.test_recovered import revive as revive_elsewhere
from tests.core.lifecycle.test_states_agree import transitions
from tests.operations.conftest import ask, undo, wakeups, work  # noqa: F401 - a fixture among them
from tests.plain_sql import execute, rows
from tests.transports.forty_lines import FortySource, empty_memory  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_memory")]

RECORD = """
    CREATE TABLE moves_made (from_status text, to_status text);
    CREATE FUNCTION record_move() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO moves_made VALUES (OLD.status, NEW.status); RETURN NULL; END';
    CREATE TRIGGER record_move AFTER UPDATE ON dlq_events FOR EACH ROW
        WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION record_move();
"""
FORGET = "DROP TRIGGER record_move ON dlq_events; DROP FUNCTION record_move(); DROP TABLE moves_made"


@pytest.fixture
def recorded() -> Iterator[None]:
    execute(RECORD)
    yield
    execute(FORGET)


def test_each_move_is_made_by_those_who_move_rows(recorded, letter, send):
    by_the_schedule(letter)
    by_operations(letter)
    by_a_consumer(send)
    by_queues_of_other_systems(letter)
    by_another_scheduler(letter)
    by_a_success_where_they_failed()
    assert set(rows("SELECT DISTINCT from_status, to_status FROM moves_made")) == transitions()


def by_the_schedule(letter):
    letter()
    letter(payload={"do": "transient"})
    letter(payload={"do": "transient"}, max_retries=1)
    letter(max_retries=0)
    letter(payload_raw=b"{", error_reason="MalformedEvent: no JSON")
    schedule.run()


def by_operations(letter):
    ids = [letter(status=status) for status in ("PENDING", "EXHAUSTED", "QUARANTINED")]
    claims = dead_letters.claim_these(ids, "somebody", 60, None)
    dead_letters.give_back(claims)
    for kind in ("revive", "discard"):
        operation = ask(kind, ids=ids, parameters={"undo_seconds": 60} if kind == "revive" else {})
        work()
        undo(operation)
        work()
    discarded = letter(status="DISCARDED")
    operation = ask("restore", ids=[discarded])
    work()
    undo(operation)
    work()


def by_a_consumer(send):
    healed, killer = bury(send, "healed"), bury(send, "killer")
    revive(healed)
    handle()
    revive(healed)
    Message.objects.filter(dlq_event_id=healed).update(payload=event("healed"))  # the cause has gone
    handle()
    bury(send, "healed")
    revive(killer)
    kill()
    DeadLetter.objects.filter(pk=killer).update(status="DISCARDED")
    bury(send, "killer")
    came_too_late = bury(send, "too late")
    revive(came_too_late)
    Message.objects.filter(dlq_event_id=came_too_late).update(payload=event("too late"))
    handle()
    send(**event("too late", do="business"))
    kill()


def by_queues_of_other_systems(letter):
    """Given out too often, of a type that no handler of ours knows."""
    unknown = event("unknown") | {"type": "nobody.knows"}
    letter("nobody.knows", unknown, source="shop", source_key="unknown", status="SUCCEEDED")
    source = FortySource()
    source.send("orders", orjson.dumps(unknown))
    [message] = source.claim("orders", 1, "me", 60)
    exhausted.dead_letter(source, message)


def by_another_scheduler(letter):
    execute("UPDATE dlq_events SET status = 'SUCCEEDED' WHERE id = %s", letter())


def by_a_success_where_they_failed():
    for status in ("EXHAUSTED", "QUARANTINED"):
        letter = report()
        if status == "QUARANTINED":
            revive_elsewhere(letter)
        DeadLetter.objects.filter(pk=letter.pk).update(status=status)
        assert recovered()


def event(name, **data):
    return {"specversion": "1.0", "id": name, "source": "shop", "type": "order.created", "data": data}


def bury(send, name):
    """One event that fails for good; its dead letter."""
    send(**event(name, do="business"))
    handle()
    return DeadLetter.objects.get(source="shop", source_key=name).pk


def revive(number):
    execute("SELECT dead_letter_revive(%s)", number)


def claimed():
    source = NativeSource()
    [message] = source.claim("order.created", 1, "me", 60)
    return source, message


def handle():
    source, message = claimed()
    settlement.settle(source, message, handle_message(message, None), QueuePolicy())


def kill():
    """Three consumers have died of it."""
    settlement.quarantine(*claimed(), None)
