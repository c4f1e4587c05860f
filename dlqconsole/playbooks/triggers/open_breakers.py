"""Which breakers are open now, and since when."""

from datetime import datetime

from dlqconsole.engine.breakers import dependency_key
from dlqconsole.engine.breakers.keys import check_key
from dlqconsole.engine.breakers.states import state_of, states
from dlqconsole.engine.errors import InvalidBreaker
from dlqconsole.engine.handling import registry
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.processing.errors import SetupError


def open_since(key: str) -> datetime | None:
    """Since when its handlers are not run, whether a machine or a person said so; None: they are."""
    found = state_of(key)
    return found.since if found is not None and found.blocks else None


def checked_key(text: str) -> str:
    """The name of a breaker. Raises OperationRefused."""
    try:
        return check_key(text)
    except InvalidBreaker as refusal:
        raise OperationRefused(str(refusal)) from refusal


def known_keys() -> list[str]:
    """Those that are open, and the dependencies that handlers name, for a form to propose."""
    found = {state.key for state in states(quiet=True)}
    try:
        handlers = registry()
    except SetupError:
        return sorted(found)
    needed = {name for kind in handlers.event_types for name in handlers.dependencies_of(kind)}
    return sorted(found | {dependency_key(name) for name in needed})
