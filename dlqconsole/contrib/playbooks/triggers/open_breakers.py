"""Which breakers are open now, and since when."""

from contextlib import suppress
from datetime import datetime

from dlqconsole.engine.breakers import dependency_key
from dlqconsole.engine.breakers.keys import check_key, types_of
from dlqconsole.engine.breakers.states import state_of, states, stops_seen
from dlqconsole.engine.errors import InvalidBreaker
from dlqconsole.engine.handling import registry
from dlqconsole.engine.reach import Reach
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs.plain_text import quoted


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


def known_keys(reach: Reach) -> list[str]:
    """Those that are open, and the dependencies that handlers name, as far as somebody sees them."""
    found = {state.key for state in states(quiet=True)}
    with suppress(SetupError):
        handlers = registry()
        needed = {name for kind in handlers.event_types for name in handlers.dependencies_of(kind)}
        found |= {dependency_key(name) for name in needed}
    return sorted(key for key in found if is_seen(key, reach))


def is_seen(key: str, reach: Reach) -> bool:
    """Whether it stops, as far as anybody has heard, what somebody sees."""
    if not reach.is_limited:
        return True
    heard_of = [kind for state in states(quiet=True) if state.key == key for kind in state.event_types]
    return stops_seen({*types_of(key), *heard_of}, reach)


def check_seen(key: str, reach: Reach) -> None:
    """Raises OperationRefused, the same for what is out of reach and for what never was."""
    if not is_seen(key, reach):
        raise OperationRefused(f"There is no breaker {quoted(key)} that stops what you see: {reach.words()}.")
