"""Put messages on a queue, without Django: python -m examples.plain_python.producer orders '{"id": 1}' …"""

import os
import sys

import psycopg

from dlqconsole.core import messages
from dlqconsole.core.host import use


def produce(queue: str, payloads: list[str]) -> None:
    """Send all of them or, where one is no JSON, none."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection, use(connection):
        number = messages.send_many(queue, [messages.NewMessage(payload) for payload in payloads])
    print(f"sent {number}")


if __name__ == "__main__":
    produce(sys.argv[1], sys.argv[2:])
