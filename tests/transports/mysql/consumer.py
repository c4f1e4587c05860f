"""A consumer of the MySQL queue `orders`, as a process that tests stop, kill or freeze at named points.

python -m tests.transports.mysql.consumer drain FILE      all there is; a line for each beginning and end
python -m tests.transports.mysql.consumer complete FILE   one message; waits for a line on stdin at each point
python -m tests.transports.mysql.consumer bury FILE       the same, and its handler fails
"""

import os
import sys
import time
from pathlib import Path

import django

django.setup()

from dlqconsole.core.errors import LeaseLost  # noqa: E402 - Django first
from dlqconsole.core.handling import Identity  # noqa: E402
from dlqconsole.core.lifecycle.states import DeadLetterStatus  # noqa: E402
from dlqconsole.processing.outcomes import Failed  # noqa: E402
from dlqconsole.transports.mysql import messages  # noqa: E402
from dlqconsole.transports.mysql.source import from_settings  # noqa: E402

LEASE_SECONDS = 0.6
# Two processors are shared with everything else: nobody may lose a lease for want of them.
DRAIN_LEASE_SECONDS = 2.0
FAILED = Failed("Refused: billing said no", "TRANSIENT", "Refused", "Traceback …")


def at(point: str) -> None:
    """Say where we are, and go no further until we are told."""
    print(point, flush=True)
    sys.stdin.readline()


def drain(effects: Path) -> None:
    transport, me = from_settings(), f"consumer-{os.getpid()}"
    with effects.open("a", buffering=1) as file:
        while claimed := transport.claim("orders", 10, me, DRAIN_LEASE_SECONDS):
            for delivery in claimed:
                if transport.extend([delivery], DRAIN_LEASE_SECONDS):
                    file.write(f"{delivery.id} {os.getpid()} begin {time.monotonic()}\n")
                    file.write(f"{delivery.id} {os.getpid()} end {time.monotonic()}\n")
                    transport.complete([delivery])


def handle_one(effects: Path, outcome: str) -> str:
    transport = from_settings()
    at("ready")
    deadline = time.monotonic() + 90
    while not (claimed := transport.claim("orders", 1, f"consumer-{os.getpid()}", LEASE_SECONDS)):
        if time.monotonic() > deadline:
            sys.exit("there was nothing to claim")
        time.sleep(0.02)
    [delivery] = claimed
    at("claimed")
    with effects.open("a") as file:
        file.write(f"{delivery.id}\n")
    at("handled")
    if outcome == "complete":
        return "completed" if transport.complete([delivery]) else "lost"
    identity = Identity("orders", "mysql:orders", delivery.id)
    try:
        return f"buried {transport.dead_letter(delivery, identity, FAILED, DeadLetterStatus.PENDING)}"
    except LeaseLost:
        return "lost"


def stop_between_the_databases() -> None:
    """Between PostgreSQL's commit and MySQL's delete there is a point, too."""
    keep = messages.keep_locked

    def keep_and_wait(*arguments):
        kept = keep(*arguments)
        at("kept")
        return kept

    messages.keep_locked = keep_and_wait


if __name__ == "__main__":
    verb, path = sys.argv[1:]
    if verb == "drain":
        drain(Path(path))
    else:
        stop_between_the_databases()
        print(handle_one(Path(path), verb), flush=True)
