"""Steps of a consumer that a system's outage must not stop for the others."""

import logging
from collections.abc import Callable

from django.db import InterfaceError, InternalError, NotSupportedError, OperationalError

from dlqconsole.consuming.queue_session import QueueSession
from dlqconsole.transports.errors import TransportUnavailable

log = logging.getLogger(__name__)

# The database is away; or it became a standby; or a migration changed what our prepared statements return.
# All of these are over with a new connection.
PASSING = (OperationalError, InterfaceError, InternalError, NotSupportedError)


def try_step(session: QueueSession, step: Callable[[QueueSession], object]) -> bool:
    """Run a step. Return its answer; False while the queue's system does not answer. Other queues go on."""
    try:
        return bool(step(session))
    except TransportUnavailable as error:
        log.warning("%s does not answer, trying again: %s", session.name, " ".join(str(error).split()))
        return False
