"""A mistyped DLQ_SCHEMA stops every command and page, and changes nothing in public."""

import json

import pytest

pytestmark = pytest.mark.django_db(transaction=True)
LACKS = (
    "The schema none_there of this database lacks tables of dlqconsole. Make them first: manage.py migrate"
)
ROWS = "SELECT (SELECT count(*) FROM {0}.dlq_events), (SELECT count(*) FROM {0}.audit_log)"


def test_everything_says_so_and_nothing_is_changed(run, database):
    run("public", "manage.py", "migrate", "-v0")
    database.execute("INSERT INTO dlq_events (event_type, payload, error_reason) VALUES ('x', '{}', 'E: no')")
    before = database.execute(ROWS.format("public")).fetchall()
    asking = "-m", "tests.own_schema.asking"
    said = run("none_there", *asking, given='{"order_id": 1}\n')
    answers = json.loads(said.stdout.splitlines()[-1])
    by_hand = run("none_there", "manage.py", "retry_due", status=1).stderr
    assert by_hand == f"CommandError: {LACKS}\n"
    for command, status, sentence in answers["commands"]:
        assert (command, status, sentence) == (command, 1, LACKS)
    assert answers["pages"]["/readyz"][0] == 503
    assert "the schema none_there of the database lacks" in answers["pages"]["/readyz"][1]
    assert (answers["sign in"][0], LACKS in answers["sign in"][1]) == (503, True)
    assert answers["pages"]["/healthz"][0] == 200
    assert database.execute(ROWS.format("public")).fetchall() == before
    assert database.execute("SELECT to_regnamespace('none_there')").fetchone() == (None,)
