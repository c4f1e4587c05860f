"""The queue sessions of a consumer, opened by the queues' names."""

from collections.abc import Mapping, Sequence

from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.core.errors import InvalidQueue
from dlqconsole.transports.registry import full_name, parts
from dlqconsole.transports.source import Source


def open_sessions(
    names: Sequence[str], owner: str, weights: Mapping[str, int] | None = None
) -> list[QueueSession]:
    """Open a session for each queue; those of one system share its source.

    Raises TransportUnavailable, InvalidQueue for a queue whose messages nobody can claim here.
    """
    weights = {full_name(name): weight for name, weight in (weights or {}).items()}
    sources: dict[str, Source] = {}
    sessions: list[QueueSession] = []
    for name in dict.fromkeys(map(full_name, names)):
        system, queue = parts(name)
        source = sources.get(system.prefix) or system.open()
        if not isinstance(source, Source):
            raise InvalidQueue(f"{name} cannot be consumed. {source.not_claimed}")
        sources[system.prefix] = source
        sessions.append(QueueSession(name, source, queue, owner, weight=weights.get(name, 1)))
    return sessions


def require_one_transaction(sessions: Sequence[QueueSession]) -> None:
    """Raise InvalidQueue where a handler and its message cannot commit together."""
    elsewhere = [session.name for session in sessions if not session.source.commits_with_us]
    if elsewhere:
        raise InvalidQueue(
            f"--transactional is for queues of this database only, and {elsewhere[0]} is in another system."
        )
