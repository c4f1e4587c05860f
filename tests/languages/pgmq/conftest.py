"""Programs that were written for PGMQ's client, on our queue."""

import os
from collections.abc import Iterator

import pytest

from examples.pgmq import PGMQueue

WHERE = "SELECT status FROM message_queue WHERE id = %s"


def client_of(conninfo: str, dbname: str, **account: str) -> PGMQueue:
    return PGMQueue(conninfo, database=dbname, pool_size=3, **account)


@pytest.fixture
def ann(world) -> Iterator[PGMQueue]:
    """Her program consumes, and may send to orders and mails."""
    for queue in ("orders", "mails"):
        world.sql.execute(
            "INSERT INTO producer_queues VALUES (%s, %s)", [world.roles.prefix + "consumer", queue]
        )
    client = client_of(**world.roles.address("consumer"))
    yield client
    client.close()


@pytest.fixture
def bob(world) -> Iterator[PGMQueue]:
    """Another program of the same role."""
    client = client_of(**world.roles.address("consumer"))
    yield client
    client.close()


@pytest.fixture
def owner(world) -> Iterator[PGMQueue]:
    """The program of whoever owns the queues."""
    client = client_of(os.environ["DATABASE_URL"], world.roles.name)
    yield client
    client.close()


@pytest.fixture
def status(world):
    """``status(3)`` is where the message 3 stands; None when it has left."""
    return lambda number: world.value(WHERE, number)


@pytest.fixture
def the_vt_is_over(world):
    """Whoever has read a message has it no longer."""
    return lambda: world.sql.execute("UPDATE message_queue SET lease_until = now() - interval '1 second'")
