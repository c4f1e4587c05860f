"""The examples of a consumer and a producer, in an interpreter that has psycopg and no Django."""

import pytest

from tests.transports.conftest import rows
from tests.transports.test_plain_core import address
from tests.without_django import plain_packages, start  # noqa: F401 - a fixture


@pytest.mark.django_db(transaction=True)
def test_what_one_sends_the_other_handles_and_what_fails_is_a_dead_letter(plain_packages):  # noqa: F811
    variables = {
        "DATABASE_URL": address(),
        "DLQ_HANDLERS": "tests.core.shop_without_django",
    }

    def run(name: str, *words: str) -> str:
        process = start(plain_packages, "-m", f"examples.plain_python.{name}", *words, variables=variables)
        output, _nothing = process.communicate(timeout=60)
        assert process.returncode == 0
        return output

    rows("INSERT INTO queues (name, max_retries) VALUES ('orders', 0)")
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
