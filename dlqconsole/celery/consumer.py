"""Celery's consumer of wake-ups: no gossip, and only messages as our own senders write them."""

from collections.abc import Callable
from typing import Any, NoReturn

from celery.worker import consumer

# Workers send no events to each other: their heartbeats are in the database (engine/known_handlers.py).
_SILENT = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True}
# The headers that Celery may read from a message; all others are dropped.
_HEADERS = ("task", "id", "eta", "expires", "argsrepr", "kwargsrepr")


class UnreadableMessage(Exception):
    """A message that is none of ours. The transport rejects it."""


class TaskConsumer(consumer.Consumer):
    """The consumer of each worker (``worker_consumer``)."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options | _SILENT)

    def create_task_handler(self, *arguments: Any) -> Callable[[Any], Any]:
        """Check each message before Celery does: one that fails later would keep a process for itself."""
        receive = super().create_task_handler(*arguments)

        def receive_checked(message: Any) -> Any:
            self._check(message)
            return receive(message)

        return receive_checked

    def _check(self, message: Any) -> None:
        """Raise an error for a message that is wrong."""
        message.headers = _headers(message.headers)
        task = self.app.tasks.get(message.headers["task"])
        if task is None:
            raise UnreadableMessage("it names no task of ours")
        arguments, keywords, about = message.payload
        if any(about.values()):
            raise UnreadableMessage("it asks for more than its task")
        # raises TypeError for other arguments than the task's
        task.__header__(*arguments, **keywords)

    def _refuse(self, *about: Any) -> NoReturn:
        """Leave it to the transport: Celery would log the whole message, in many lines."""
        raise UnreadableMessage(about[-1])

    on_decode_error = on_invalid_task = _refuse


def _headers(raw: Any) -> dict[str, Any]:
    headers = {name: raw.get(name) for name in _HEADERS}
    if not isinstance(headers["id"], str) or not all(
        isinstance(text, str | None) for text in headers.values()
    ):
        raise UnreadableMessage("its headers are wrong")
    return headers
