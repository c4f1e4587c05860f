"""Keeps a consumer's leases alive while its handler works: a thread that extends what is still in hand."""

import logging
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from django.db import Error, connection

from dlqconsole.engine.errors import EngineError
from dlqconsole.transports.protocol import Delivery, Transport

log = logging.getLogger(__name__)


class Heartbeat:
    """Extends the leases of ``deliveries`` every third of them, until each is let go of."""

    def __init__(self, transport: Transport, deliveries: Sequence[Delivery], lease_seconds: float) -> None:
        self._transport, self._lease_seconds = transport, lease_seconds
        self._held = {delivery.id: delivery for delivery in deliveries}
        self._changing, self._over = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def let_go(self, delivery: Delivery) -> bool:
        """No beat extends it from here on; False when its lease is known to be lost."""
        # waits for a beat that is under way: afterwards it would undo what becomes of the message
        with self._changing:
            return self._held.pop(delivery.id, None) is not None

    def _beat(self) -> None:
        try:
            while not self._over.wait(self._lease_seconds / 3):
                self._extend()
        finally:
            connection.close()

    def _extend(self) -> None:
        with self._changing:
            if not self._held:
                return
            try:
                still = self._transport.extend(list(self._held.values()), self._lease_seconds)
            except (EngineError, Error) as error:
                # the next beat tries again, and there are two before the lease is over
                log.warning("leases were not extended: %s", " ".join(str(error).split()))
                connection.close()
            else:
                self._held = {number: held for number, held in self._held.items() if number in still}
