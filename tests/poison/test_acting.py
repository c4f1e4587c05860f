"""One poison row among healthy ones: every action does the others, and the row or its own reason is there."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.operations.receipts import receipt
from tests.operations.conftest import ask, counts, work
from tests.plain_sql import column
from tests.poison.conftest import HEALTHY, REASON, World

ALL = HEALTHY + 1
pytestmark = [pytest.mark.django_db, pytest.mark.sized]


def status(letter_id: int) -> str:
    (found,) = column("SELECT status FROM dlq_events WHERE id = %s", letter_id)
    return found


def of_the_healthy(world: World) -> set[str]:
    ids = sorted(world.healthy)
    return set(column("SELECT DISTINCT status FROM dlq_events WHERE id = ANY (%s)", ids))


def check_its_own_end(world: World) -> None:
    """It healed, or it says why not; what has no handler is as it was."""
    (reason,) = column("SELECT error_reason FROM dlq_events WHERE id = %s", world.poison)
    if world.kind.heals:
        assert status(world.poison) == "SUCCEEDED"
    elif world.kind.unhandled:
        assert (status(world.poison), reason) in (("PENDING", REASON), ("REVIVED", REASON))
    else:
        assert status(world.poison) in ("PENDING", "QUARANTINED")
        assert reason.split(":")[0] in ("MalformedEvent", "PayloadTooLarge", "UnusableRecord")


def test_retrying_all_of_them_heals_the_healthy_ones(world):
    operation = ask("retry", filter={})
    work()
    assert of_the_healthy(world) == {"SUCCEEDED"}
    done = ALL if world.kind.heals else HEALTHY
    skipped = int(world.kind.unhandled)
    assert counts(operation) == ("completed", ALL, done, skipped, ALL - done - skipped)
    assert all(item.reason for item in receipt.items(operation.pk) if item.fate in ("skipped", "failed"))
    check_its_own_end(world)
    assert world.operator.get(f"/operations/{operation.pk}/").status_code == 200


def test_the_schedule_heals_the_healthy_ones(world, settings):
    settings.DLQ_RETRY_BATCH_SIZE = 200
    call_command("retry_due", verbosity=0)
    assert of_the_healthy(world) == {"SUCCEEDED"}
    check_its_own_end(world)


def test_discarding_and_restoring_does_them_all(world):
    discarded = ask("discard", filter={})
    work()
    assert counts(discarded) == ("completed", ALL, ALL, 0, 0)
    restored = ask("restore", filter={"status": "DISCARDED"})
    work()
    assert counts(restored) == ("completed", ALL, ALL, 0, 0)
    assert of_the_healthy(world) | {status(world.poison)} == {"PENDING"}


def test_what_is_revived_can_be_looked_at_and_is_consumed(world):
    operation = ask("revive", filter={})
    work()
    assert counts(operation) == ("completed", ALL, ALL, 0, 0)
    check_messages_can_be_seen(world)
    consume(world)
    assert of_the_healthy(world) == {"SUCCEEDED"}
    check_its_own_end(world)


def test_revived_by_the_sql_function_it_is_consumed_too(world):
    assert None not in column("SELECT dead_letter_revive(id) FROM dlq_events ORDER BY id")
    consume(world)
    assert of_the_healthy(world) == {"SUCCEEDED"}
    check_its_own_end(world)


def check_messages_can_be_seen(world: World) -> None:
    (number,) = column("SELECT id FROM message_queue WHERE dlq_event_id = %s", world.poison)
    (queue,) = column("SELECT queue FROM message_queue WHERE id = %s", number)
    for name in ("queue_message", "queue_message_raw"):
        assert world.operator.get(reverse(f"dlq:{name}", args=[queue, number])).status_code == 200
    for name in ("queue_messages", "queue"):
        assert world.operator.get(reverse(f"dlq:{name}", args=[queue])).status_code == 200
    assert world.admin.get(reverse("admin:dlq_engine_message_changelist")).status_code == 200
    assert world.admin.get(reverse("admin:dlq_engine_message_change", args=[number])).status_code == 200


def consume(world: World) -> None:
    queues = column("SELECT DISTINCT queue FROM message_queue")
    Consumer(queues, batch=10).run(until_empty=True)
    left = column("SELECT unhandled_type FROM message_queue")
    assert left == ([world.kind.columns["event_type"]] if world.kind.unhandled else [])
