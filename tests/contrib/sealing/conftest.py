"""A sealed log, and what the owner of its table can do to it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from dlqconsole.contrib.sealing import seals
from dlqconsole.engine import audit


def run(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@contextmanager
def as_owner() -> Iterator[None]:
    """Whoever owns the tables can switch their triggers off. Undone at the end, with all that was done."""
    with transaction.atomic():
        run("ALTER TABLE audit_log DISABLE TRIGGER USER", "ALTER TABLE audit_seals DISABLE TRIGGER USER")
        yield
        transaction.set_rollback(True)


def cover_up() -> None:
    """Their triggers are on again before anybody looks."""
    run(
        *(
            f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_refuse{ending}"
            for table in ("audit_log", "audit_seals")
            for ending in ("", "_truncate")
        )
    )


@pytest.fixture
def sealed(db) -> Callable[[int], list[int]]:
    """sealed(4) writes and seals four entries; their ids."""

    def write(count: int) -> list[int]:
        made = [
            audit.record("ann", "discard", f"dead_letter:{n}", reason=f"because {n}").pk for n in range(count)
        ]
        seals.seal()
        return made

    return write
