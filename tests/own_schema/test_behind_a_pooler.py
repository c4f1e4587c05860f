"""Behind a real PgBouncer each transaction is in the schema, though the role has no search_path."""

import pytest

from dlqconsole.system.errors import RuntimeProblem
from tests.own_schema.conftest import url
from tests.pooler.bouncer import bouncer

pytestmark = pytest.mark.django_db(transaction=True)
# one by an INSERT, many by a COPY that is a transaction of its own
SEND = """
import django
django.setup()
from dlqconsole.core import messages
messages.send("order.created", '{"do": "business"}')
messages.send_many("order.created", [messages.NewMessage('{"do": "business"}')] * 60)
"""


@pytest.fixture
def pooled(database):
    try:
        with bouncer() as address:
            yield f"{address.rpartition('/')[0]}/{database.info.dbname}"
    except RuntimeProblem as problem:
        pytest.skip(str(problem))


def test_producers_and_consumers_work_in_the_schema(run, database, pooled):
    run("dlq", "manage.py", "migrate", "-v0")
    run("dlq", "-c", SEND, DATABASE_URL=pooled)
    consume = "manage.py", "consume", "order.created", "--until-empty"
    run("dlq", *consume, DATABASE_URL=pooled, DLQ_DIRECT_DATABASE_URL=url(database))
    count = run("dlq", "manage.py", "deadletters", "count", DATABASE_URL=pooled)
    assert count.stdout.split()[0] == "61"
    assert database.execute("SELECT to_regclass('public.message_queue')").fetchone() == (None,)
