"""Our handlers on attached queues: claim, handle, settle, by the rules that hold for queues of our own."""

import logging
import random
import time
from collections import Counter
from collections.abc import Sequence

from django.db import InterfaceError, OperationalError, close_old_connections

from dlqconsole.engine.consuming.consumer import owner_name
from dlqconsole.engine.consuming.settlement import Settled
from dlqconsole.engine.errors import UnknownQueue
from dlqconsole.engine.handling import registry
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.exhausted import bury
from dlqconsole.transports.heartbeat import Heartbeat
from dlqconsole.transports.identities import handle_delivery
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.protocol import Delivery, Transport
from dlqconsole.transports.registry import attached_name, transport_of
from dlqconsole.transports.settling import settle

log = logging.getLogger(__name__)

POLL_SECONDS = 1.0


class AttachedConsumer:
    """Handles the messages of attached queues until ``stop()`` is called (a signal handler may)."""

    def __init__(self, names: Sequence[str], *, batch: int = 10) -> None:
        self.names = tuple(attached_name(name) for name in names)
        self.batch = batch
        self.owner = owner_name()
        self.counts: Counter[Settled] = Counter()
        self.stopping = False

    def stop(self) -> None:
        """Finish the message in hand, give the rest back, and return from ``run``."""
        self.stopping = True

    def run(self, *, until_empty: bool = False) -> Counter[Settled]:
        """Consume; with ``until_empty`` return when nothing is claimable. What was settled, by outcome.

        Raises UnknownQueue for a queue that is not attached, and HandlerSetupError.
        """
        registry()  # a wrong DLQ_HANDLERS stops the start, not the first message
        while not self.stopping:
            if self._round():
                continue
            if until_empty:
                break
            time.sleep(POLL_SECONDS * random.uniform(0.5, 1.0))  # noqa: S311
        return self.counts

    def _round(self) -> bool:
        """One claim on each queue; whether there was anything. A database that is away is waited for."""
        try:
            found = [self._consume(name) for name in self.names if not self.stopping]
            return any(found)
        except (OperationalError, InterfaceError, TransportUnavailable) as error:
            log.warning("a queue does not answer, trying again: %s", " ".join(str(error).split()))
            close_old_connections()
            time.sleep(1)
            return False

    def _consume(self, name: str) -> bool:
        queue = _attached(name)
        transport, remote = transport_of(name)
        deliveries = transport.claim(remote, self.batch, self.owner, queue.lease_seconds)
        with Heartbeat(transport, deliveries, queue.lease_seconds) as heartbeat:
            for position, delivery in enumerate(deliveries):
                if self.stopping:
                    _give_back(transport, heartbeat, deliveries[position:])
                    break
                settled = _handle(transport, queue, delivery, heartbeat)
                log.info("message %s on %s: %s", delivery.id, name, settled)
                self.counts[settled] += 1
        return bool(deliveries)


def _attached(name: str) -> AttachedQueue:
    queue = AttachedQueue.objects.filter(name=name).first()
    if queue is None:
        raise UnknownQueue(f"The queue {name!r} is not attached. Attach it first: manage.py attach {name}")
    return queue


def _handle(transport: Transport, queue: AttachedQueue, delivery: Delivery, heartbeat: Heartbeat) -> Settled:
    # so many deliveries came to nothing that it may have killed its consumers: it is not tried again
    if delivery.attempts > queue.max_deliveries + 1:
        heartbeat.let_go(delivery)
        return Settled.DEAD if bury(transport, queue, delivery) else Settled.LOST
    handled = handle_delivery(queue.name, delivery)
    if not heartbeat.let_go(delivery):
        return Settled.LOST
    return settle(transport, queue, delivery, handled)


def _give_back(transport: Transport, heartbeat: Heartbeat, deliveries: Sequence[Delivery]) -> None:
    transport.release([delivery for delivery in deliveries if heartbeat.let_go(delivery)])
