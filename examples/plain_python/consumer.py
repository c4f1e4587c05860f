"""Handle what is on a queue, without Django: python -m examples.plain_python.consumer orders

DLQ_HANDLERS names the modules with your handlers. What fails is tried again, or becomes a dead letter.
"""

import os
import sys

import psycopg

from dlqconsole.core import messages
from dlqconsole.core.handling import isolated
from dlqconsole.core.host import use
from dlqconsole.core.owners import owner_name


def consume(queue: str, lease_seconds: float = 60) -> None:
    """Handle messages one by one until none is due. A handler that outlives its lease is run by another."""
    with (
        isolated(),
        psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection,
        use(connection),
    ):
        while claims := messages.claim(queue, 1, owner_name(), lease_seconds):
            for claim in claims:
                print(claim.id, messages.process(claim))


if __name__ == "__main__":
    consume(sys.argv[1])
