"""What the tests of locks share."""

import uuid
from typing import Any

from django.db import connection

from dlqconsole.engine.database.locks import ShedLock


def new_lock(at_most: float = 30.0, at_least: float = 0.0, name: str = "", **more: Any) -> ShedLock:
    """A lock that nobody else has, unless it is named."""
    return ShedLock(name or f"test-{uuid.uuid4()}", at_most=at_most, at_least=at_least, **more)


def execute(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run a statement on Django's connection; its rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else []
