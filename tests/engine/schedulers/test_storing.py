"""A service stores its failures by plain INSERT, under a role that may do little else."""

import re

import psycopg
import pytest

from tests.engine.schedulers.conftest import INSERT, ORDER, everything_said, refusal


def test_it_inserts_the_columns_of_its_own_table_and_reads_nothing(world):
    writer = world.connect("writer")
    writer.execute(INSERT, ORDER)
    assert world.owner().execute("SELECT event_type, status, error_class FROM dlq_events").fetchall() == [
        ("order.created", "PENDING", "java.net.ConnectException")
    ]
    for column in ("*", "payload", "status", "error_reason"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            writer.execute(f"SELECT {column} FROM dlq_events")


def test_a_mapper_reads_the_number_of_what_it_inserted_and_no_more(world):
    writer = world.connect("writer")
    [(number,)] = writer.execute(INSERT + " RETURNING id", ORDER).fetchall()
    assert world.owner().execute("SELECT id FROM dlq_events").fetchone() == (number,)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        writer.execute(INSERT + " RETURNING *", ORDER)


def test_a_role_that_may_only_insert_does_so(world):
    careless = world.role("careless").as_string(None)
    world.owner().execute(
        "GRANT INSERT (event_type, payload, error_reason, error_stacktrace, status, retry_count, retry_after,"
        f" created_at, updated_at) ON dlq_events TO {careless}"
    )
    link = world.connect("careless")
    link.execute(INSERT, ORDER)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        link.execute(INSERT + " RETURNING id", ORDER)
    world.owner().execute(f"REVOKE INSERT ON dlq_events FROM {careless}")
    assert world.owner().execute("SELECT count(*) FROM dlq_events").fetchone() == (1,)


def test_what_a_mapper_leaves_null_is_as_if_it_had_left_it_out(world):
    world.connect("writer").execute(
        "INSERT INTO dlq_events (event_type, payload, error_reason, error_stacktrace, headers, retry_count,"
        " retry_after, created_at, updated_at) VALUES ('a', '1', NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
    )
    row = world.owner().execute(
        "SELECT error_reason, headers, retry_count, retry_after <= now(), created_at <= now() FROM dlq_events"
    )
    assert row.fetchone() == ("", {}, 0, True, True)


def test_a_clock_that_is_ahead_makes_nothing_of_tomorrow(world):
    world.connect("writer").execute(
        "INSERT INTO dlq_events (event_type, payload, created_at) VALUES ('a', '1', now() + interval '1 day')"
    )
    assert world.owner().execute("SELECT created_at <= clock_timestamp() FROM dlq_events").fetchone() == (
        True,
    )


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("event_type", "NULL", 'null value in column "event_type"'),
        ("retry_count", "-1", "dlq_events_counts"),
        ("retry_after", "'infinity'", "dlq_events_moments"),
        ("headers", "'[]'", "dlq_events_headers_object"),
        ("error_category", "'BAD'", "dlq_events_category"),
        ("status", "'SUCCEEDED'", "is not born SUCCEEDED"),
    ],
)
def test_what_is_refused_is_told_without_the_payload(world, column, value, says):
    columns = {"event_type": "'a'", "payload": "'{\"card\": 4111}'"} | {column: value}
    statement = f"INSERT INTO dlq_events ({', '.join(columns)}) VALUES ({', '.join(columns.values())})"
    for link in (world.connect("writer"), world.connect("app"), world.owner()):
        if link is world.owner() and column == "status":
            continue
        diag = refusal(link, statement)
        assert says in diag.message_primary
        assert "4111" not in everything_said(diag)


def test_each_column_that_must_be_there_is_asked_before_postgresql_would_print_the_row(world):
    owner = world.owner()
    [(body,)] = owner.execute("SELECT pg_get_functiondef('dlq_events_sound'::regproc)")
    columns = owner.execute(
        "SELECT attname FROM pg_attribute"
        " WHERE attrelid = 'dlq_events'::regclass AND attnum > 0 AND attnotnull"
    )
    asked = re.search(r"num_nulls\((.*?)\)", body, re.DOTALL)[1]
    assert set(re.findall(r"NEW\.(\w+)", asked)) == {name for [name] in columns}
    checks = owner.execute(
        "SELECT conname FROM pg_constraint WHERE conrelid = 'dlq_events'::regclass AND contype = 'c'"
    )
    assert checks.fetchall() == []
