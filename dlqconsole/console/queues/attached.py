"""Actions that a queue of another system does not have here; its buttons and commands give the reason."""

from dlqconsole.transports import registry
from dlqconsole.transports.queue_overview import is_attached

_WHY = {
    "pause": "{system} has no pause that its consumers obey. Stop them over there; `manage.py attach {name}"
    " --detach` makes the console let go of it.",
    "change": "Its policy is that of {system}. `manage.py attach {name} --max-deliveries` changes how often"
    " its messages are tried.",
    "purge": "Its messages are {system}'s: purge it over there. What has left a queue counts as completed.",
    "drop": "It is not ours to drop. `manage.py attach {name} --detach` lets go of it.",
}


def why_not(action: str, name: str) -> str:
    """The reason why the queue of another system lacks the action; empty if it can be done."""
    if action not in _WHY or not is_attached(name):
        return ""
    return _WHY[action].format(system=registry.parts(name)[0].label or "its system", name=name)
