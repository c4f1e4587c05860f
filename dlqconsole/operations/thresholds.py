"""The thresholds of approval (its number of items, its waiting time): changes of these settings are audited.

A person who can set the environment of a process can change a setting unnoticed. So a process that sees
another value than the last one in the audit log notes it there, once, before it uses the value.
"""

from django.conf import settings

from dlqconsole.configuration.settings import Settings
from dlqconsole.core.owners import owner_name
from dlqconsole.engine import audit
from dlqconsole.engine.models import AuditEntry

NAMES = ("DLQ_FOUR_EYES_ABOVE", "DLQ_APPROVAL_SECONDS")
ACTOR, ACTION = "settings", "set"
_last_values: dict[str, int] = {}


def note() -> None:
    """Note, in the caller's transaction, each setting that differs from the last value in the log."""
    for name in NAMES:
        value = int(getattr(settings, name))
        if _last_values.get(name) == value:
            continue
        if (last := _last(name)) != value:
            detail = {"changes": {name: [last, value]}, "process": owner_name()}
            audit.record(ACTOR, ACTION, f"setting:{name}", detail=detail)
        _last_values[name] = value


def _last(name: str) -> int:
    entry = AuditEntry.objects.filter(target=f"setting:{name}", action=ACTION).order_by("-id").first()
    if entry is not None:
        return int(entry.detail["changes"][name][1])
    return int(Settings.model_fields[name].default)
