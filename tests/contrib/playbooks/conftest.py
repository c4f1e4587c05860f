"""What the tests of playbooks share: one of ann's, its breaker, and a worker's tick."""

from typing import Any

import pytest

from dlqconsole.contrib.playbooks import service, tick
from dlqconsole.contrib.playbooks.models import Playbook, PlaybookEntry
from dlqconsole.operations.models import Operation
from tests.accounts import person
from tests.operations.conftest import letters, quick, wakeups, work  # noqa: F401 - fixtures
from tests.plain_sql import execute

KEY = "type:order.created"


@pytest.fixture
def ann() -> str:
    """An operator."""
    return person("ann")


@pytest.fixture
def bob() -> str:
    """Another one."""
    return person("bob")


def given(**changed: Any) -> dict[str, Any]:
    """What a person gives for a playbook: when the orders are handled again, revive what waits."""
    return {
        "name": "Orders are back",
        "filter": {"type": "order.created"},
        "trigger": "breaker",
        "trigger_options": {"key": KEY},
        "kind": "revive",
        "options": {},
        "per_hour": None,
        "per_day": 1_000,
        "operations_per_day": 24,
        "tells_owner": True,
        **changed,
    }


def who(actor: str, **more: Any) -> service.PlaybookAuthor:
    """Somebody who acts."""
    return service.PlaybookAuthor(actor, "a test", **more)


def made(actor: str, **changed: Any) -> Playbook:
    """A playbook of theirs."""
    return service.add(given(**changed), who(actor))


def fails(key: str = KEY) -> None:
    """Everything of it fails: its breaker is open."""
    execute(
        "INSERT INTO breakers (key, state, reason, next_probe_at) VALUES (%s, 'open', 'away', now())"
        " ON CONFLICT (key) DO UPDATE SET state = 'open', since = clock_timestamp(), next_probe_at = now()",
        key,
    )


def answers(key: str = KEY) -> None:
    """It is handled again."""
    execute(
        "UPDATE breakers SET state = 'closed', since = clock_timestamp(), next_probe_at = NULL"
        " WHERE key = %s",
        key,
    )


def was_away(key: str = KEY) -> None:
    """An outage that a tick has seen, and its end, which none has."""
    fails(key)
    tick.tick()
    answers(key)


def due(row: Playbook) -> None:
    """The time has come of one that goes by the clock."""
    Playbook.objects.filter(pk=row.pk).update(next_at="2026-01-01T00:00:00Z")


def story(row: Playbook) -> list[tuple[str, str]]:
    """What it did and did not, oldest first."""
    return list(PlaybookEntry.objects.filter(playbook=row).order_by("id").values_list("outcome", "why"))


def operations() -> list[Operation]:
    """All there are, oldest first."""
    return list(Operation.objects.order_by("id"))
