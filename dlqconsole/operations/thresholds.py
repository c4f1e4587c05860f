"""From how many items on a second person is needed, and how long they are waited for: changes are audited.

Both are settings: whoever can set the environment of a process can change them without a word. A process that
sees another value than the audit log has last says so there, once, before it goes by it.
"""

from django.conf import settings

from dlqconsole.configuration.settings import Settings
from dlqconsole.engine import audit
from dlqconsole.engine.models import AuditEntry
from dlqconsole.engine.owners import owner_name

NAMES = ("DLQ_FOUR_EYES_ABOVE", "DLQ_APPROVAL_SECONDS")
ACTOR, ACTION = "settings", "set"
_noted: dict[str, int] = {}


def note() -> None:
    """In the caller's transaction: write down what differs from the last in the log, or from the default."""
    for name in NAMES:
        value = int(getattr(settings, name))
        if _noted.get(name) == value:
            continue
        if (last := _last(name)) != value:
            detail = {"changes": {name: [last, value]}, "process": owner_name()}
            audit.record(ACTOR, ACTION, f"setting:{name}", detail=detail)
        _noted[name] = value


def _last(name: str) -> int:
    entry = AuditEntry.objects.filter(target=f"setting:{name}", action=ACTION).order_by("-id").first()
    if entry is not None:
        return int(entry.detail["changes"][name][1])
    return int(Settings.model_fields[name].default)
