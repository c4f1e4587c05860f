"""The breakers that are open now."""

from contextlib import suppress
from datetime import datetime

from dlqconsole.core.errors import InvalidBreaker
from dlqconsole.core.flow.keys import dependency_key
from dlqconsole.core.handling import registry
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.breakers import check_key, state_of, states, stops_seen, types_of
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import quoted


def open_since(key: str) -> datetime | None:
    """The moment since when its handlers do not run, by a machine or a person; None: they run."""
    state = state_of(key)
    return state.since if state is not None and state.blocks else None


def check_breaker_key(text: str) -> str:
    """Check the name of a breaker and return it. Raises InvalidInput."""
    try:
        return check_key(text)
    except InvalidBreaker as refusal:
        raise InvalidInput(str(refusal)) from refusal


def known_keys() -> list[str]:
    """The open breakers, and those of the dependencies that handlers name, within the scope."""
    keys = {state.key for state in states(quiet=True)}
    with suppress(SetupError):
        handlers = registry()
        dependencies = {name for kind in handlers.event_types for name in handlers.dependencies_of(kind)}
        keys |= {dependency_key(name) for name in dependencies}
    return sorted(key for key in keys if is_seen(key))


def is_seen(key: str) -> bool:
    """Tell whether a breaker stops, as far as reported, an event type within the scope."""
    if not current_access().is_limited:
        return True
    reported_types = [kind for state in states(quiet=True) if state.key == key for kind in state.event_types]
    return stops_seen({*types_of(key), *reported_types})


def check_seen(key: str) -> None:
    """Raise OperationRefused alike for a breaker out of scope and for one that does not exist."""
    if not is_seen(key):
        raise OperationRefused(
            f"There is no breaker {quoted(key)} that stops what you see: {current_access().words()}."
        )
