"""The queue sessions of a consumer, opened by the queues' names."""

from collections.abc import Sequence

from dlqconsole.consuming.lanes import Lane
from dlqconsole.engine.errors import InvalidQueue
from dlqconsole.transports.registry import full_name, parts
from dlqconsole.transports.source import Source


def open_lanes(names: Sequence[str], owner: str) -> list[Lane]:
    """Open a session for each queue; those of one system share its source.

    Raises TransportUnavailable, InvalidQueue for a queue whose messages nobody can claim here.
    """
    sources: dict[str, Source] = {}
    lanes: list[Lane] = []
    for name in dict.fromkeys(map(full_name, names)):
        system, queue = parts(name)
        source = sources.get(system.prefix) or sources.setdefault(system.prefix, system.open())
        if source.not_claimed:
            raise InvalidQueue(f"{name} cannot be consumed. {source.not_claimed}")
        lanes.append(Lane(name, source, queue, owner))
    return lanes


def require_one_transaction(lanes: Sequence[Lane]) -> None:
    """Raise InvalidQueue where a handler and its message cannot commit together."""
    elsewhere = [lane.name for lane in lanes if not lane.source.commits_with_us]
    if elsewhere:
        raise InvalidQueue(
            f"--transactional is for queues of this database only, and {elsewhere[0]} is in another system."
        )
