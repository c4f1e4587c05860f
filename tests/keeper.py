"""A feature's keeper for tests: it writes successes to the audit log, in their own transaction."""

from collections.abc import Sequence

from dlqconsole.core.successes import Statement, Success
from dlqconsole.engine.models import AuditEntry

_WRITE = (
    "INSERT INTO audit_log (actor, action, target, reason, detail)"
    " SELECT 'keeper', 'succeeded', target, '', '{}' FROM unnest(%(targets)s::text[]) target"
)


def keeper(successes: Sequence[Success]) -> list[Statement]:
    """Keep each success."""
    return [(_WRITE, {"targets": [_words(success) for success in successes]})]


def _words(success: Success) -> str:
    again = ", had failed" if success.was_dead_letter else ""
    return f"{success.identity.event_type} {success.payload}{again}"


def kept() -> list[str]:
    """The successes that were written, in words."""
    return sorted(AuditEntry.objects.filter(actor="keeper").values_list("target", flat=True))
