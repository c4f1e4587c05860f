"""The names of breakers: of an event type, and of what its handler depends on."""

from dlqconsole.processing.handlers import Registry
from dlqconsole.processing.inputs.sentences import Sentence, stored
from dlqconsole.processing.outcomes import Failed

TYPE, DEPENDENCY, FLOOD = "type:", "dependency:", "flood:"
_WORDS = {
    TYPE: stored("the event type {name:s}"),
    DEPENDENCY: stored("the dependency {name:s}"),
    FLOOD: stored("the flood gate of {name:s}"),
}


def type_key(event_type: str) -> str:
    """The breaker of an event type."""
    return f"{TYPE}{event_type}"


def dependency_key(name: str) -> str:
    """The breaker of something that handlers name in ``depends_on``."""
    return f"{DEPENDENCY}{name}"


def keys_of(handlers: Registry, event_type: str) -> tuple[str, ...]:
    """Every breaker that must be closed for a handler of the type to run; its own first."""
    return type_key(event_type), *map(dependency_key, handlers.dependencies_of(event_type))


def key_to_blame(handlers: Registry, event_type: str, failure: Failed) -> str:
    """The breaker that a failure counts for: of what the error names, else of the only dependency."""
    needs = handlers.dependencies_of(event_type)
    if failure.dependency:
        is_declared = failure.dependency in needs
        return dependency_key(failure.dependency) if is_declared else type_key(event_type)
    return dependency_key(needs[0]) if len(needs) == 1 else type_key(event_type)


def types_of(handlers: Registry, key: str) -> tuple[str, ...]:
    """The event types that a breaker stops, as far as there are handlers here."""
    if key.startswith(TYPE):
        return (key.removeprefix(TYPE),)
    if key.startswith(FLOOD):  # programs ask it; no handler does
        return ()
    name = key.removeprefix(DEPENDENCY)
    return tuple(kind for kind in handlers.event_types if name in handlers.dependencies_of(kind))


def words(key: str) -> str:
    """The key as people say it."""
    kind, colon, name = key.partition(":")
    return Sentence(_WORDS.get(kind + colon, _WORDS[TYPE]), name=name)
