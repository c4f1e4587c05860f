"""The ledger for people: the effects that dead letters had, and how unknown ones ended."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db.models import QuerySet

from dlqconsole.contrib.effects.models import Effect
from dlqconsole.core.errors import EngineError
from dlqconsole.core.named_sql import execute, load
from dlqconsole.engine import audit
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.database import connection, transaction
from dlqconsole.people.actions import PersonAction

LIST = PersonAction(name="list", help="the effects that are unknown, the oldest first", role="viewer")
DONE = PersonAction(name="done", help="an unknown effect was done: who comes next skips it")
NOT_DONE = PersonAction(name="not-done", help="an unknown effect was not done: who comes next does it")

ACTIONS = (LIST, DONE, NOT_DONE)
sql = load(Path(__file__).parent)
KEPT_DAYS = 90


class NoSuchEffect(EngineError):
    """No effect of this name and key waits for an answer."""


@dataclass(frozen=True, slots=True)
class EffectCount:
    """The number of dead letters that had an effect of this name, and of those whose effect is unknown."""

    name: str
    done: int
    unknown: int


def is_empty() -> bool:
    """Tell whether nobody notes effects here: then nothing is said of them."""
    return not Effect.objects.exists()


def of_letters(letters: QuerySet[DeadLetter], before: datetime | None = None) -> list[EffectCount]:
    """Count the dead letters with effects that were begun before then, by the effect's name."""
    select, parameters = letters.order_by().values("source", "source_key").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql("effects.of_letters").replace("{letters}", select), (*parameters, before))
        return [EffectCount(*row) for row in cursor.fetchall()]


def settle(name: str, key: str, *, was_done: bool, actor: str, reason: str) -> None:
    """Note what a person knows of an effect that was begun: it was done, or not. Raises NoSuchEffect."""
    with transaction.atomic():
        if not execute(sql("effects.done" if was_done else "effects.not_done"), {"name": name, "key": key}):
            raise NoSuchEffect(f"No effect {name} with the key {key} is unknown: nothing was changed.")
        detail = {"key": key, "done": was_done}
        audit.record(actor, "effect settled", f"effect:{name}", reason=reason, detail=detail)


def forget() -> int:
    """Delete effects that are older than 90 days: no program asks for them any more. Returns their number."""
    number, page = 0, 1
    while page:
        page = execute(sql("effects.forget"), {"days": KEPT_DAYS})
        number += page
    return number
