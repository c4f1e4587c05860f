"""Two consoles in one database, each in a schema of its own."""

import pytest

pytestmark = pytest.mark.django_db(transaction=True)


def test_neither_knows_of_the_other(run, database):
    for schema in ("one", "two"):
        run(schema, "manage.py", "migrate", "-v0")
    run("one", "manage.py", "send", "order.created", given='{"do": "business"}')
    run("one", "manage.py", "consume", "order.created", "--until-empty")
    assert database.execute("SELECT count(*) FROM one.dlq_events").fetchone() == (1,)
    assert database.execute("SELECT count(*) FROM two.dlq_events").fetchone() == (0,)
    assert run("two", "manage.py", "deadletters", "count").stdout.split()[0] == "0"
    # one goes, and the other has all its indexes
    database.execute("DROP SCHEMA one CASCADE")
    assert database.execute("SELECT to_regclass('two.dlq_events_reason') IS NOT NULL").fetchone() == (True,)
