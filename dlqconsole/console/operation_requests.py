"""The one way in which the console, the admin and the command line ask for an operation."""

from __future__ import annotations

from uuid import UUID

from dlqconsole.console.asked_operation import AskedOperation
from dlqconsole.operations.models import Operation


def request_asked(
    asked: AskedOperation, actor: str, reason: str, key: UUID, expected: int | None = None
) -> Operation:
    """Make the operation, or find the one that the same key made before."""
    from dlqconsole.operations import service

    raise NotImplementedError(service)
