"""The audit log: one row in the same transaction as each change a person or a client makes."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.engine.models import AuditEntry


def record(
    actor: str,
    action: str,
    target: str,
    *,
    reason: str = "",
    operation_id: int | None = None,
    detail: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Write one row in the caller's transaction.

    ``target`` is ``noun:id`` (``dead_letter:42``); ``detail`` holds counts, ids and hashes, never payloads.
    """
    return AuditEntry.objects.create(
        actor=actor,
        action=action,
        target=target,
        reason=reason,
        operation_id=operation_id,
        detail=dict(detail or {}),
    )
