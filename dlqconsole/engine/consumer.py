"""The consumer: claim, handle, settle. Any number may run, on any machines; each takes over from the dead."""

import logging
import os
import socket
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence

from django.db import InterfaceError, OperationalError, close_old_connections

from dlqconsole.engine import failures, messages, queues, settlement
from dlqconsole.engine.errors import LeaseLost
from dlqconsole.engine.failures import QueuePolicy
from dlqconsole.engine.handling import handle, identify, registry
from dlqconsole.engine.notifications import WakeUps
from dlqconsole.engine.settlement import Settled

log = logging.getLogger(__name__)

HOUSEKEEPING_SECONDS = 1.0


def owner_name() -> str:
    """Who holds a lease: host, process, and a part that no later process repeats."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


class Consumer:
    """Handles the messages of some queues until ``stop()`` is called (a signal handler may)."""

    def __init__(self, names: Sequence[str], *, batch: int = 10) -> None:
        self.names = tuple(names)
        self.batch = batch
        self.owner = owner_name()
        self.counts: Counter[Settled] = Counter()
        self.stopping = False
        self._housekeeping_due = 0.0

    def stop(self) -> None:
        """Finish the message in hand, give the rest back, and return from ``run``."""
        self.stopping = True

    def run(self, *, until_empty: bool = False) -> Counter[Settled]:
        """Consume; with ``until_empty`` return when nothing is claimable. What was settled, by outcome."""
        registry()  # a wrong DLQ_HANDLERS stops the start, not the first message
        wakeups = WakeUps(frozenset(self.names))
        try:
            while not self.stopping:
                if self._round():
                    continue
                if until_empty:
                    break
                wakeups.wait()
        finally:
            wakeups.close()
        return self.counts

    def _round(self) -> bool:
        """One claim on each queue; whether there was anything. A database that is away is waited for."""
        try:
            self._keep_house()
            found = [self._consume(name) for name in self.names if not self.stopping]
            return any(found)
        except (OperationalError, InterfaceError) as error:
            log.warning("the database does not answer, trying again: %s", str(error).splitlines()[0])
            close_old_connections()
            time.sleep(1)
            return False

    def _consume(self, name: str) -> bool:
        policy = queues.policy(name)
        claims = messages.claim(name, self.batch, self.owner, policy.lease_seconds)
        for claim in self._held(claims, policy):
            self.counts[self._handle(claim, policy)] += 1
        return bool(claims)

    def _held(self, claims: list[messages.Claim], policy: QueuePolicy) -> Iterator[messages.Claim]:
        """The claims one by one, while their leases last; what is left at a stop is given back."""
        claims, renewed = list(claims), time.monotonic()
        while claims:
            if self.stopping:
                messages.release(claims)
                return
            if time.monotonic() - renewed > policy.lease_seconds / 3:
                held = messages.extend(claims, policy.lease_seconds)
                self.counts[Settled.LOST] += len(claims) - len(held)
                claims = [claim for claim in claims if claim.id in held]
                renewed = time.monotonic()
                continue
            yield claims.pop(0)

    def _handle(self, claim: messages.Claim, policy: QueuePolicy) -> Settled:
        handled = handle(
            claim.payload, claim.payload_raw, claim.headers, queue=claim.queue, key=str(claim.id)
        )
        settled = settlement.settle(claim, handled, policy)
        log.info("message %s on %s: %s", claim.id, claim.queue, settled)
        return settled

    def _keep_house(self) -> None:
        """Make due messages claimable, and take over what dead consumers held."""
        if time.monotonic() < self._housekeeping_due:
            return
        self._housekeeping_due = time.monotonic() + HOUSEKEEPING_SECONDS
        messages.stage()
        if reclaimed := messages.reclaim(failures.MAX_CRASHES):
            log.warning("took back %s messages whose consumers stopped", len(reclaimed))
        for claim in messages.claim_crashed(failures.MAX_CRASHES, QueuePolicy().lease_seconds):
            _quarantine(claim)


def _quarantine(claim: messages.Claim) -> None:
    identity = identify(claim.payload, claim.payload_raw, claim.headers, queue=claim.queue, key=str(claim.id))
    try:
        settlement.quarantine(claim, identity)
    except LeaseLost:
        log.warning("another consumer quarantines message %s", claim.id)
