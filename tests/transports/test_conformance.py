"""The shared suite on every transport: our own queues, PGMQ's and MySQL's."""

from collections.abc import Iterator

import pytest

from dlqconsole.core import messages
from dlqconsole.transports.native.source import NativeSource
from dlqconsole.transports.pgmq.source import PgmqSource
from dlqconsole.transports.source import Delivery
from tests.plain_sql import execute
from tests.transports.conformance import Bench, Conformance
from tests.transports.conftest import new_pgmq_queue


class StagedSource(NativeSource):
    """Our queues with a consumer beside us that does its chores all the time."""

    def claim(self, queue: str, limit: int, owner: str, lease_seconds: float) -> list[Delivery]:
        messages.stage()
        return super().claim(queue, limit, owner, lease_seconds)


SOON = "clock_timestamp() - interval '1 millisecond'"


@pytest.fixture
def postgres_bench(transactional_db) -> Bench:
    def time_passes() -> None:
        execute(f"UPDATE message_queue SET lease_until = {SOON} WHERE lease_until IS NOT NULL")
        execute(f"UPDATE message_queue SET next_retry_at = {SOON} WHERE status = 'scheduled'")

    return Bench(StagedSource(), "orders", "", "orders", time_passes)


@pytest.fixture
def pgmq_bench(pgmq, transactional_db) -> Iterator[Bench]:
    with new_pgmq_queue() as queue:

        def time_passes() -> None:
            execute(f"UPDATE pgmq.q_{queue} SET vt = {SOON}")

        yield Bench(PgmqSource(), queue, "nowhere", f"pgmq:{queue}", time_passes)


@pytest.fixture
def mysql_bench(transactional_db, mariadb, mysql_transport) -> Bench:
    def time_passes() -> None:
        mariadb.ask(
            "UPDATE dlq_message_queue SET available_at = UTC_TIMESTAMP(6) - INTERVAL 1 MICROSECOND"
            " WHERE available_at IS NOT NULL"
        )

    return Bench(mysql_transport, "orders", "", "mysql:orders", time_passes, mysql_transport.close)


@pytest.fixture(params=["postgres", "pgmq", "mysql"])
def bench(request) -> Bench:
    """Each transport in turn."""
    return request.getfixturevalue(f"{request.param}_bench")


class TestTransports(Conformance):
    """All of it, three times."""
