"""A listener for tests: it writes each success to the audit log, in the transaction of the success."""

from collections.abc import Sequence

from dlqconsole.core.successes import Read, Statement, Success, SuccessAt
from dlqconsole.engine.models import AuditEntry

_WRITE = (
    "INSERT INTO audit_log (actor, action, target, reason, detail)"
    " SELECT 'listener', 'succeeded', target, '', '{}' FROM unnest(%(targets)s::text[]) target"
)


class Listener:
    """Hears of every success."""

    def statements(self, event_types: Sequence[str], success_at: SuccessAt, read: Read) -> list[Statement]:
        return [(_WRITE, {"targets": [_words(success_at(place)) for place in range(len(event_types))]})]


def _words(success: Success) -> str:
    again = ", had failed" if success.was_dead_letter else ""
    return f"{success.event_type} {success.payload}{again}"


def heard() -> list[str]:
    """The successes that were written, in words."""
    return sorted(AuditEntry.objects.filter(actor="listener").values_list("target", flat=True))
