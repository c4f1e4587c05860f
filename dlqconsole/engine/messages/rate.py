"""A queue's rate limit: a bucket of tokens in the database, shared by all consumers."""

from dlqconsole.engine.database import prepared
from dlqconsole.engine.sql import sql


def take(queue: str, wanted: int, per_second: float | None) -> int:
    """Return how many claims the rate allows now, at most ``wanted``; all of them without a limit."""
    if per_second is None:
        return wanted
    values = {"queue": queue, "wanted": wanted, "rate": per_second}
    return int(prepared.run(sql("messages.take_tokens"), values)()[0][0])


def give_back(queue: str, unused: int, per_second: float | None) -> None:
    """Give back tokens that were taken and found no message."""
    if per_second is not None and unused > 0:
        prepared.run(sql("messages.give_back_tokens"), {"queue": queue, "unused": float(unused)})()
