"""Revived dead letters whose messages stand on another system's queue, looked up by their messages."""

from collections.abc import Sequence

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.transports.models import ForwardedMessage
from dlqconsole.transports.sql import sql


def letters_of(name: str, numbers: Sequence[int]) -> dict[int, int]:
    """Return the dead letters that messages of the queue revive, by the messages' numbers."""
    rows = ForwardedMessage.objects.filter(queue=name, remote_id__in=list(map(str, numbers)))
    return {int(remote): letter for remote, letter in rows.values_list("remote_id", "dlq_event_id")}


def take_back(name: str, numbers: Sequence[int], why: str) -> dict[int, int]:
    """Return dead letters to their former state: their messages are removed, in the caller's transaction.

    Return those that did, by their messages' numbers. Leaving the queue would else count as success.
    """
    rows = ForwardedMessage.objects.filter(queue=name, remote_id__in=list(map(str, numbers)))
    messages = list(rows.values_list("pk", "remote_id", "dlq_event_id"))
    if not messages:
        return {}
    ids = set(fetch_column(sql("relay.lost"), {"ids": [pk for pk, _remote, _id in messages], "why": why}))
    return {int(remote): letter for _pk, remote, letter in messages if letter in ids}


def count_of(name: str) -> int:
    """Count the revived dead letters that a queue has not let go of."""
    return ForwardedMessage.objects.filter(queue=name).count()
