"""Dead letters in the state that a test needs, by moves that the database allows."""

from collections import deque
from typing import Any

from django.db.models import F, QuerySet

from dlqconsole.core.lifecycle.states import MOVES, DeadLetterStatus
from dlqconsole.engine.models import DeadLetter

# what a claimed one has, and a row must have to be RETRYING
LEASED = {"lease_token": "6f1c2d3e-0000-4000-8000-000000000001", "lease_until": "2090-01-01T00:00:00Z"}
_WITH: dict[str, dict[str, Any]] = {"RETRYING": LEASED, "REVIVED": {"revive_count": F("revive_count") + 1}}

# whoever makes this move is told to have tried it
TOLD = {(DeadLetterStatus.PENDING, DeadLetterStatus.SUCCEEDED)}


def bring_to(status: str, letters: QuerySet[DeadLetter] | None = None, **columns: Any) -> None:
    """Move dead letters (all, unless told which) to a state, and set other columns with the last move."""
    rows = DeadLetter.objects.all() if letters is None else letters
    ids: dict[str, list[int]] = {}
    for number, before in rows.values_list("pk", "status"):
        ids.setdefault(before, []).append(number)
    for before, numbers in ids.items():
        found = DeadLetter.objects.filter(pk__in=numbers)
        for step in _way(before, status):
            found.update(status=step, **_WITH.get(step, {}))
        found.update(**({"status": status} | columns))


def as_claimed(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of an INSERT, with a lease where its state asks for one."""
    return (LEASED if columns.get("status") == "RETRYING" else {}) | columns


def _way(before: str, status: str) -> list[str]:
    """The shortest way from one state to another, without the first."""
    ways: deque[list[str]] = deque([[before]])
    while ways[0][-1] != status:
        way = ways.popleft()
        # not by way of REVIVED where another is as short: it would count a revival
        nexts = sorted(str(after) for came, after in MOVES - TOLD if str(came) == way[-1])
        ways.extend([*way, after] for after in nexts if after not in way)
    return ways[0][1:]
