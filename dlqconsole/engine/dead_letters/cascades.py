"""Cascades: dead letters of one trace or correlation, in the order in which they failed.

The first that failed is the first domino: once its event succeeds, those behind it may close by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL
from django.db.models.functions import Left

from dlqconsole.core.lifecycle.states import REVIVABLE, DeadLetterStatus
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.excerpts import REASON
from dlqconsole.engine.gate import MARGIN
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.sql import sql

MOST = 50
_COLUMNS = ("id", "event_type", "queue", "status", "group_id", "first_failure_at")


@dataclass(frozen=True, slots=True)
class Cascade:
    """Two dead letters or more, the first that failed first; ``has_more``: than ``MOST``."""

    rows: list[dict[str, Any]]
    has_more: bool

    @property
    def first(self) -> dict[str, Any]:
        return self.rows[0]

    @property
    def is_first_done(self) -> bool:
        """Tell whether nothing is left to do for the first: it succeeded, or was given up."""
        done = (DeadLetterStatus.SUCCEEDED, DeadLetterStatus.DISCARDED)
        return self.first["healed"] or self.first["status"] in done

    @property
    def next(self) -> list[int]:
        """Those to revive now: the first, then the rest that did not close by itself."""
        rows = self.rows[1:] if self.is_first_done else self.rows[:1]
        return [row["id"] for row in rows if row["status"] in REVIVABLE and not row["healed"]]


def cascade(letter_id: int) -> Cascade | None:
    """Return the cascade of a dead letter, as far as who asks sees it; None if no other shares its ids.

    It may take long: an id such as "unknown" may be that of a million.
    """
    ids = fetch_dicts(sql("cascades.ids"), {"id": letter_id})[0]["ids"]
    if not ids:
        return None
    rows = list(_sharing(ids)[: MOST + 1])
    return Cascade(rows[:MOST], len(rows) > MOST) if len(rows) > 1 else None


def _sharing(ids: list[str]) -> Any:
    shares = Q(RawSQL(sql("cascades.shares"), (ids, ids), output_field=BooleanField()))  # noqa: S611
    healed = RawSQL(sql("cascades.healed"), (), output_field=BooleanField())  # noqa: S611
    rows = current_access().limit(DeadLetter.objects.filter(shares)).order_by("first_failure_at", "id")
    return rows.annotate(reason=Left("error_reason", REASON + MARGIN), healed=healed).values(
        *_COLUMNS, "reason", "healed"
    )
