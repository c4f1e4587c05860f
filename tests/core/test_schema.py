"""The SQL files are the schema: whoever runs them has it, and each change leads to the same."""

import re
import shutil

import psycopg
import pytest
from django.db import connection

from dlqconsole.core import schema
from dlqconsole.tables.steps import feature_folders
from tests.core.catalog import catalog, of_kind

# The example of the recipe in docs/architecture.md.
NUMBER = 9_999
COLUMN = "    example text NOT NULL DEFAULT '',\n"
BEFORE = "    occurrences integer NOT NULL DEFAULT 1,\n"
REMARK = "COMMENT ON COLUMN dlq_events.example IS 'what somebody wrote down about it';\n"
CHANGE = f"ALTER TABLE dlq_events ADD COLUMN example text NOT NULL DEFAULT '';\n{REMARK}"


@pytest.fixture
def migrated(django_db_setup, db):
    connection.ensure_connection()
    return catalog(connection.connection)


def test_the_core_alone_needs_no_django(new_database):
    with new_database() as own:
        schema.install(own.execute)
        own.execute("INSERT INTO message_queue (queue, payload) VALUES ('orders', '{}')")
        assert own.execute("SELECT status FROM message_queue").fetchone() == ("pending",)


def test_it_may_live_beside_the_tables_of_others(new_database):
    """In a schema of its own: nothing of it is in public, and its functions find its tables by themselves."""
    with new_database() as own:
        schema.install(own.execute, schema="dead letters")
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
    assert not naming, "Write names without a schema; see set_path in core/schema."


def test_a_database_that_was_changed_equals_one_that_was_made_so(new_database, tmp_path, monkeypatch):
    before, after = new_database(), new_database()
    schema.install(before.execute)
    _with_a_column(tmp_path, monkeypatch)
    schema.apply_change(before.execute, NUMBER)
    schema.install(after.execute)
    assert catalog(before) == catalog(after)
    assert "dlq_events.example" in {thing.name for thing in catalog(after)}


def test_a_change_that_differs_from_its_file_is_noticed(new_database, tmp_path, monkeypatch):
    before, after = new_database(), new_database()
    schema.install(before.execute)
    _with_a_column(tmp_path, monkeypatch)
    (tmp_path / "changes" / f"{NUMBER}_example.sql").write_text(
        "ALTER TABLE dlq_events ADD COLUMN example text"
    )
    schema.apply_change(before.execute, NUMBER)
    schema.install(after.execute)
    assert {thing.name for thing in catalog(before) ^ catalog(after)} >= {"dlq_events.example"}


def test_a_change_is_applied_once(new_database, tmp_path, monkeypatch):
    """What a database was made with is there: migrate passes over it."""
    own = new_database()
    _with_a_column(tmp_path, monkeypatch)
    schema.install(own.execute)
    assert own.execute("SELECT max(number) FROM schema_changes").fetchall() == [(NUMBER,)]
    with pytest.raises(psycopg.errors.DuplicateColumn):
        schema.apply_change(own.execute, NUMBER)


def test_each_table_view_type_and_function_says_what_it_is(migrated):
    ours = schema.names(feature_folders())
    silent = [
        thing.name
        for thing in of_kind(migrated, "relation", "function")
        if thing.name.partition("(")[0] in ours and not thing.comment
    ]
    assert not silent, "Say it with COMMENT ON, behind what makes it."


def test_each_index_says_which_query_it_serves(migrated):
    ours = re.compile(f"ON (?:ONLY )?public\\.(?:{'|'.join(schema.names(feature_folders()))}) ")
    indexes = [thing for thing in of_kind(migrated, "index") if ours.search(thing.definition)]
    assert len(indexes) > 70
    silent = [thing.name for thing in indexes if not thing.comment]
    assert not silent, "Say it with COMMENT ON INDEX, behind what makes it."


def _with_a_column(folder, monkeypatch):
    """The files with one column more, and the change that brings it to a database that is there."""
    shutil.copytree(schema.FOLDER, folder, dirs_exist_ok=True)
    monkeypatch.setattr(schema, "FOLDER", folder)
    monkeypatch.setattr(schema, "CHANGES", folder / "changes")
    file = folder / "dead_letters.sql"
    table, rest = file.read_text().split(BEFORE, 1)
    file.write_text(f"{table}{COLUMN}{BEFORE}{rest}\n{REMARK}")
    schema.CHANGES.mkdir(exist_ok=True)
    (schema.CHANGES / f"{NUMBER}_example.sql").write_text(CHANGE)
