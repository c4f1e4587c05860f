from typing import Any

from django.conf import settings
from django.core import checks

from dlqconsole.engine.gate import CHECKED
from dlqconsole.hosting import app
from dlqconsole.processing.modules import missing_in


class ConsumingConfig(app.Ours):
    name = "dlqconsole.consuming"

    def ready(self) -> None:
        checks.register(modules_are_there, CHECKED)


def modules_are_there(**_options: Any) -> list[checks.CheckMessage]:
    """Warn, before the first event, about modules of handlers or reports that do not exist.

    A warning: what needs the modules refuses to start by itself, in one sentence; a migration goes on.
    """
    return [
        checks.Warning(f"{name} names {module!r}, and there is no module of that name.", id="dlqconsole.W001")
        for name in ("DLQ_HANDLERS", "DLQ_REPORTS")
        for module in missing_in(getattr(settings, name))
    ]
