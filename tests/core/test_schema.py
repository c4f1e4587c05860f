"""The SQL files are the schema: whoever runs them has it."""

import re

import pytest
from django.db import connection

from dlqconsole.core import schema
from dlqconsole.core.schema.upgrade import upgrade
from dlqconsole.tables.features import feature_folders
from tests.core.catalog import catalog, of_kind


@pytest.fixture
def migrated(django_db_setup, db):
    connection.ensure_connection()
    return catalog(connection.connection)


def test_the_core_alone_needs_no_django(new_database):
    with new_database() as own:
        upgrade(own.execute)
        own.execute("INSERT INTO message_queue (queue, payload) VALUES ('orders', '{}')")
        assert own.execute("SELECT status FROM message_queue").fetchone() == ("pending",)


def test_it_may_live_beside_the_tables_of_others(new_database):
    """In a schema of its own: nothing of it is in public, and its functions find its tables by themselves."""
    with new_database() as own:
        upgrade(own.execute, schema_name="dead letters")
        own.commit()
        assert [thing.name for thing in catalog(own) if thing.kind == "relation"] == []
        own.execute(
            """INSERT INTO "dead letters".dlq_events (event_type, payload, error_reason)
               VALUES ('order.created', '{"id": 1}', 'TimeoutError: the shop did not answer')"""
        )
        (group,) = own.execute('SELECT group_id FROM "dead letters".dlq_events').fetchone()
        assert group
        assert own.execute('SELECT id FROM "dead letters".failure_groups').fetchall() == [(group,)]
        (message,) = own.execute('SELECT "dead letters".dead_letter_revive(1)').fetchone()
        queue = own.execute('SELECT queue FROM "dead letters".message_queue WHERE id = %s', [message])
        assert queue.fetchone() == ("order.created",)


def test_no_file_names_the_schema_that_it_is_in():
    naming = {
        path.name: named
        for path in schema.files(feature_folders())
        if (named := re.findall(r"\bpublic\.\w+", path.read_text()))
    }
    assert not naming, "Write names without a schema; see set_path in core/schema/upgrade.py."


def test_each_table_view_type_and_function_says_what_it_is(migrated):
    ours = schema.names(feature_folders())
    silent = [
        thing.name
        for thing in of_kind(migrated, "relation", "domain", "function")
        if thing.name.partition("(")[0] in ours and not thing.comment
    ]
    assert not silent, "Say it with COMMENT ON, behind what makes it."


def test_each_index_says_which_query_it_serves(migrated):
    ours = re.compile(f"ON (?:ONLY )?public\\.(?:{'|'.join(schema.names(feature_folders()))}) ")
    indexes = [thing for thing in of_kind(migrated, "index") if ours.search(thing.definition)]
    assert len(indexes) > 70
    silent = [thing.name for thing in indexes if not thing.comment]
    assert not silent, "Say it with COMMENT ON INDEX, behind what makes it."
