"""A queue's rate limit: a bucket of tokens in the database, shared by all consumers."""

from dlqconsole.core import prepared
from dlqconsole.core.sql import sql


def take(queue: str, number: int, per_second: float | None) -> int:
    """Return how many claims the rate allows now, at most ``number``; all of them without a limit."""
    if per_second is None:
        return number
    values = {"queue": queue, "wanted": number, "rate": per_second}
    return int(prepared.run(sql("messages.take_tokens"), values)()[0][0])


def give_back(queue: str, number: int, per_second: float | None) -> None:
    """Give back tokens that were taken and found no message."""
    if per_second is not None and number > 0:
        prepared.run(sql("messages.give_back_tokens"), {"queue": queue, "unused": float(number)})()
