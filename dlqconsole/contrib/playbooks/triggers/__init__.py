"""The triggers of playbooks. Another one is a file beside these and an entry below."""

from django.utils.translation import gettext as _

from dlqconsole.contrib.playbooks.triggers.base import Trigger
from dlqconsole.contrib.playbooks.triggers.breaker import BreakerTrigger
from dlqconsole.contrib.playbooks.triggers.daily import DailyTrigger
from dlqconsole.contrib.playbooks.triggers.every import EveryTrigger
from dlqconsole.contrib.playbooks.triggers.many import ManyTrigger
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.processing.inputs.plain_text import quoted

_TRIGGERS: dict[str, Trigger] = {
    each.name: each for each in (BreakerTrigger(), EveryTrigger(), DailyTrigger(), ManyTrigger())
}


def every() -> list[Trigger]:
    """All of them, in the order of the form."""
    return list(_TRIGGERS.values())


def get(name: str) -> Trigger:
    """The trigger of that name. Raises OperationRefused."""
    try:
        return _TRIGGERS[name]
    except KeyError:
        raise OperationRefused(
            _("A playbook waits for one of {names}; not {name}.").format(
                names=", ".join(_TRIGGERS), name=quoted(name)
            )
        ) from None
