"""The examples of a consumer and a producer, in an interpreter that has psycopg and no Django."""

import pytest

from tests.operations.processes import address_here
from tests.plain_sql import execute, rows
from tests.without_django import plain_packages, start  # noqa: F401 - a fixture


@pytest.mark.django_db(transaction=True)
def test_what_one_sends_the_other_handles_and_what_fails_is_a_dead_letter(plain_packages):  # noqa: F811
    variables = {
        "DATABASE_URL": address_here(),
        "DLQ_HANDLERS": "tests.core.shop_without_django",
    }

    def run(name: str, *words: str) -> str:
        process = start(plain_packages, "-m", f"examples.plain_python.{name}", *words, variables=variables)
        output, _nothing = process.communicate(timeout=60)
        assert process.returncode == 0
        return output

    execute("INSERT INTO queues (name, max_retries) VALUES ('orders', 0)")
    some = ['{"id": 1, "parcels": 5}', '{"id": 2, "parcels": 0}', '{"id": 3, "parcels": 2}']
    assert run("producer", "orders", *some) == "sent 3\n"
    ends = [line.split(maxsplit=1)[1] for line in run("consumer", "orders").splitlines()]
    assert ends == ["completed", "dead-lettered", "completed"]
    assert rows("SELECT record ->> 'shipped', record ->> 'weight' FROM enriched_events ORDER BY id") == [
        ("1", "2"),
        ("3", "5"),
    ]
    assert rows("SELECT payload ->> 'id', status, error_class FROM dlq_events") == [
        ("2", "PENDING", "ZeroDivisionError")
    ]
    assert rows("SELECT count(*) FROM message_queue") == [(0,)]


@pytest.mark.django_db(transaction=True)
def test_a_batch_handler_has_a_claim_at_once(plain_packages):  # noqa: F811
    execute("""SELECT queue_send_many('parcels', '[{}, {}, {}]')""")
    script = (
        "import os, psycopg\n"
        "from dlqconsole.core import messages\n"
        "from dlqconsole.core.handling import isolated\n"
        "from dlqconsole.core.host import use\n"
        "with isolated(), psycopg.connect(os.environ['DATABASE_URL'], autocommit=True) as db, use(db):\n"
        "    print(*messages.process_all(messages.claim('parcels', 10, 'me', 60)))\n"
    )
    variables = {"DATABASE_URL": address_here(), "DLQ_HANDLERS": "tests.core.shop_without_django"}
    output, _nothing = start(plain_packages, "-c", script, variables=variables).communicate(timeout=60)
    assert output == "completed completed completed\n"
    assert rows("SELECT DISTINCT record ->> 'shipped_with' FROM enriched_events") == [("3",)]


@pytest.mark.django_db(transaction=True)
def test_a_periodic_handler_has_its_tick(plain_packages):  # noqa: F811
    execute(
        "INSERT INTO periodic_ticks (event_type, cron, timezone, queue, tick)"
        " VALUES ('minute.passed', '* * * * *', 'UTC', 'minute.passed', '2026-01-01Z')"
    )
    script = (
        "import os, psycopg\n"
        "from dlqconsole.core.host import use\n"
        "from dlqconsole.core.messages.ticks import PeriodicSender\n"
        "with psycopg.connect(os.environ['DATABASE_URL'], autocommit=True) as db, use(db):\n"
        "    print(PeriodicSender().send_due())\n"
    )
    variables = {"DATABASE_URL": address_here(), "DLQ_HANDLERS": "tests.core.periodic_handlers"}
    output, _nothing = start(plain_packages, "-c", script, variables=variables).communicate(timeout=60)
    assert output == "1\n"
    assert rows("SELECT queue FROM message_queue") == [("minute.passed",)]
