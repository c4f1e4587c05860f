"""The SQL functions keep the contract of every queue system, called with no other right than to call them."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection
from psycopg.sql import SQL, Identifier, Literal

from dlqconsole.engine.grants.rights import CONSUMER
from tests.languages.functions import Functions
from tests.operations.processes import address_here
from tests.plain_sql import execute
from tests.transports.conformance import Bench, Conformance

# a message that does not say of which type it is has its queue's name
QUEUE = "order.created"
SOON = "clock_timestamp() - interval '1 millisecond'"


def grant(role: str, password: str) -> None:
    """Make the role in the tests' database, with the rights of dlq_consumer."""
    with psycopg.connect(address_here(), autocommit=True) as session:
        session.execute(SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(Identifier(role), Literal(password)))
        for function in CONSUMER.functions:
            session.execute(
                SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(*map(Identifier, (function, role)))
            )


def drop(role: str) -> None:
    with psycopg.connect(address_here(), autocommit=True) as session:
        session.execute(SQL("DROP OWNED BY {0}; DROP ROLE {0}").format(Identifier(role)))


class TestTheFunctionsAlone(Conformance):
    @pytest.fixture
    def bench(self, transactional_db) -> Iterator[Bench]:
        role = f"{connection.settings_dict['NAME']}_worker"
        grant(role, "a password")
        execute("INSERT INTO producer_queues VALUES (%s, %s) RETURNING 1", role, QUEUE)

        def time_passes() -> None:
            execute(f"UPDATE message_queue SET lease_until = {SOON} WHERE lease_until IS NOT NULL")
            execute(f"UPDATE message_queue SET next_retry_at = {SOON} WHERE status = 'scheduled'")

        source = Functions(psycopg.conninfo.make_conninfo(address_here(), user=role, password="a password"))
        yield Bench(source, QUEUE, "", QUEUE, time_passes, source.close)
        source.close()
        drop(role)
