"""A team leaves PGMQ: what waits there moves to our queue by the statements of the page."""

import re
from pathlib import Path

import pytest

from dlqconsole.engine.models import Message
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = (Path(__file__).parents[3] / "docs" / "queue-pgmq.md").read_text()
[MOVE] = re.findall(r"```sql\n(SELECT queue_send\(.+?)```", PAGE, re.DOTALL)


def test_messages_keep_order_headers_group_and_time(pgmq_queue):
    grouped = '{"x-pgmq-group": "customer-7"}'
    for payload, headers, delay in (("1", None, 0), ("2", grouped, 0), ("3", grouped, 0), ("4", None, 3600)):
        execute("SELECT * FROM pgmq.send(%s, %s::jsonb, %s::jsonb, %s)", pgmq_queue, payload, headers, delay)
    execute(MOVE.replace("q_orders", f"q_{pgmq_queue}").replace("%", "%"))
    assert value(f"SELECT count(*) FROM pgmq.q_{pgmq_queue}") == 0
    messages = list(Message.objects.order_by("id"))
    assert [(each.queue, each.payload, each.status) for each in messages] == [
        ("orders", 1, "pending"),
        ("orders", 2, "pending"),
        ("orders", 3, "waiting"),
        ("orders", 4, "scheduled"),
    ]
    assert [each.group_key for each in messages] == [None, "customer-7", "customer-7", None]
    assert messages[1].headers == {"x-pgmq-group": "customer-7"}
