"""Actions on a queue of another system: those that it does not have here, and what a pause does not stop."""

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.transports import registry
from dlqconsole.transports.message_actions import is_browsed
from dlqconsole.transports.queue_overview import is_attached

_WHY = {
    "change": "Its policy is that of {system}."
    f" `{PROGRAM} attach {{name}} --max-deliveries` changes how often its messages are tried.",
    "drop": f"It is not ours to drop. `{PROGRAM} attach {{name}} --detach` lets go of it.",
}
_NOT_BROWSED = "Its messages are {system}'s, and cannot be removed one by one: do it over there."
_PAUSED = "Paused: what is in flight is finished, nothing more is claimed."
OTHERS = "Consumers of other programs"
_PAUSED_THERE = f"Paused: nothing more is sent there, and consumers of ours claim nothing. {OTHERS} go on."


def why_not(action: str, name: str) -> str:
    """The reason why the queue of another system lacks the action; empty if it can be done."""
    if not is_attached(name):
        return ""
    words = _WHY.get(action, "")
    if action in ("purge", "make-due", "delete") and not is_browsed(name):
        words = _NOT_BROWSED
    return words.format(system=system_label(name), name=name)


def system_label(name: str) -> str:
    """The name of the system of an attached queue."""
    return registry.parts(name)[0].label or "its system"


def paused_words(name: str) -> str:
    """The sentence after a pause; for an attached queue with who is not stopped by it."""
    return _PAUSED_THERE if is_attached(name) else _PAUSED
