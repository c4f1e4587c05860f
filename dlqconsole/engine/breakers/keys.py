"""The names of breakers, as people say and write them."""

from dlqconsole.core.errors import InvalidBreaker
from dlqconsole.core.flow import keys
from dlqconsole.core.flow.keys import DEPENDENCY, FLOOD, TYPE
from dlqconsole.core.handling import registry
from dlqconsole.processing.errors import SetupError

LONGEST = 300


def types_of(key: str) -> tuple[str, ...]:
    """Return the event types that a breaker stops, as far as this process has handlers."""
    try:
        return keys.types_of(registry(), key)
    except SetupError:
        return (key.removeprefix(TYPE),) if key.startswith(TYPE) else ()


def check_key(key: str) -> str:
    """Return the key. Raises InvalidBreaker for a text that is none."""
    kind, _colon, name = key.partition(":")
    if f"{kind}:" not in (TYPE, DEPENDENCY, FLOOD) or not name or len(key) > LONGEST or "\x00" in key:
        raise InvalidBreaker(
            "A breaker is named type:<event type>, dependency:<name> or flood:<event type>,"
            f" not {key[:LONGEST]!r}."
        )
    return key
