"""The triggers of playbooks: a further one is a file beside these and its place below."""

from dlqconsole.contrib.playbooks.triggers.base import Trigger
from dlqconsole.contrib.playbooks.triggers.breaker import Breaker
from dlqconsole.contrib.playbooks.triggers.daily import Daily
from dlqconsole.contrib.playbooks.triggers.every import Every
from dlqconsole.contrib.playbooks.triggers.many import Many
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.processing.inputs.plain_text import quoted

_TRIGGERS: dict[str, Trigger] = {each.name: each for each in (Breaker(), Every(), Daily(), Many())}


def every() -> list[Trigger]:
    """All of them, in the order of the form."""
    return list(_TRIGGERS.values())


def get(name: str) -> Trigger:
    """The trigger of that name. Raises OperationRefused."""
    try:
        return _TRIGGERS[name]
    except KeyError:
        raise OperationRefused(
            f"A playbook waits for one of {', '.join(_TRIGGERS)}; not {quoted(name)}."
        ) from None
