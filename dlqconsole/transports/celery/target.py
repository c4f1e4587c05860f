"""Celery applications, as far as they are queues: a task is sent again, and nobody claims one here.

What becomes of it its worker says, by the client ``dlq``: ``dead_letter_recovered``, or one failure more.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.conf import settings

from dlqconsole.configuration.addresses import read_brokers
from dlqconsole.core.errors import InvalidMessage
from dlqconsole.transports.celery.messages import check, publish, task_message
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.sending import sendable_delay
from dlqconsole.transports.target import QueueMetrics, Target


class CeleryTarget(Target):
    """Sends tasks, at least once: what is sent again has the same task id and the same revival."""

    prefix = "celery"
    marks_repeats = True
    takes_bytes = True
    not_claimed: ClassVar[str] = "Its own workers run an application's tasks; the console sends them only."

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, Any] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Send one task to the application's broker, for its queue of origin. Return its id.

        Raises InvalidMessage, TransportUnavailable.
        """
        if sendable_delay(delay_seconds):
            raise InvalidMessage("A task is sent at once: nothing holds it back over there.")
        message = task_message(payload, headers or {})
        publish(queue, _url(queue), message)
        return message.id[:255]

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return all ids: a broker knows no task by its id, and its worker says what becomes of it."""
        return set(ids)

    def metrics(self, queue: str) -> QueueMetrics:
        """Ask whether the broker is there. An application may have any queues, so nothing is counted."""
        check(queue, _url(queue))
        return QueueMetrics(queue, 0, 0, 0, None, at_least=("visible", "in_flight", "scheduled"))


def _url(name: str) -> str:
    brokers = read_brokers(settings.DLQ_CELERY_BROKERS)
    if name not in brokers:
        names = ", ".join(sorted(brokers)) or "none"
        raise TransportUnavailable(
            f"The broker of {name} is not known: DLQ_CELERY_BROKERS names {names}."
            " Add its redis:// or amqp:// address."
        )
    return brokers[name]
