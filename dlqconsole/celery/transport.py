"""Redis as a broker that may hold any bytes: an unreadable message is rejected once, and logged.

Any client of the broker can put any bytes into a queue's list. kombu reads them unchecked, and a worker
crashes on unexpected ones; kombu puts some of them back, and the next worker crashes, too.
"""

import logging
from collections.abc import Callable
from queue import Empty
from typing import Any

from kombu.transport import redis
from redis.exceptions import ResponseError

from dlqconsole.processing.texts import printable

log = logging.getLogger(__name__)

# Errors of the broker, after which Celery connects anew. kombu counts KeyError among these: here it means a
# message in which something is missing. Empty: nothing has come.
_OF_THE_BROKER = (*(set(redis.Transport.connection_errors) - {KeyError}), ResponseError, Empty)
_LONGEST = 200


class Channel(redis.Channel):
    """A channel that outlives its messages."""

    def _brpop_read(self, **options: Any) -> bool:
        """Read one message, which has left its list. An unreadable one is dropped."""
        try:
            return bool(super()._brpop_read(**options))
        except _OF_THE_BROKER:
            raise
        except Exception as error:
            _log_rejected(error)
            return True

    def basic_consume(
        self, queue: str, no_ack: bool, callback: Callable[[Any], None], consumer_tag: str, **options: Any
    ) -> Any:
        """Pass each message to Celery's consumer. Reject one that it cannot read."""

        def guarded(message: Any) -> None:
            try:
                callback(message)
            except _OF_THE_BROKER:
                raise
            except Exception as error:
                _log_rejected(error)
                if not message.acknowledged:
                    message.reject()

        return super().basic_consume(queue, no_ack, guarded, consumer_tag, **options)


class Transport(redis.Transport):
    """kombu's transport with such channels."""

    Channel = Channel


def _log_rejected(error: Exception) -> None:
    why = printable(" ".join(f"{type(error).__name__}: {error}".split()))[:_LONGEST]
    log.error("rejected a message of the broker that nobody can read: %s", why)
