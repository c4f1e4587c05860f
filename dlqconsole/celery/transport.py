"""Redis as a broker whose messages may be anything: what nobody can read is rejected once, and logged.

Who can write to the broker can put any bytes into a queue's list. kombu reads them without a doubt, and a
worker ends of what it did not expect; some of it kombu puts back, and the next worker ends of it, too.
"""

import logging
from collections.abc import Callable
from queue import Empty
from typing import Any

from kombu.transport import redis
from redis.exceptions import ResponseError

from dlqconsole.processing.texts import printable

log = logging.getLogger(__name__)

# What the broker is to blame for, and Celery connects anew for. kombu counts KeyError among these: here it is
# a message in which something is missing. Empty: nothing has come.
_OF_THE_BROKER = (*(set(redis.Transport.connection_errors) - {KeyError}), ResponseError, Empty)
_LONGEST = 200


class Channel(redis.Channel):
    """A channel that outlives its messages."""

    def _brpop_read(self, **options: Any) -> bool:
        """Read one message, which has left its list. Nobody has it in hand before it can be read."""
        try:
            return bool(super()._brpop_read(**options))
        except _OF_THE_BROKER:
            raise
        except Exception as error:
            _log_rejected(error)
            return True

    def basic_consume(
        self, queue: str, no_ack: bool, callback: Callable[[Any], None], consumer_tag: str, **given: Any
    ) -> Any:
        """Give each message to Celery's consumer; what that cannot read is done with."""

        def guarded(message: Any) -> None:
            try:
                callback(message)
            except _OF_THE_BROKER:
                raise
            except Exception as error:
                _log_rejected(error)
                if not message.acknowledged:
                    message.reject()

        return super().basic_consume(queue, no_ack, guarded, consumer_tag, **given)


class Transport(redis.Transport):
    """kombu's, with such channels."""

    Channel = Channel


def _log_rejected(error: Exception) -> None:
    why = printable(" ".join(f"{type(error).__name__}: {error}".split()))[:_LONGEST]
    log.error("rejected a message of the broker that nobody can read: %s", why)
