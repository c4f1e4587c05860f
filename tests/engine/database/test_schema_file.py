"""schema.sql: the file is the truth, it can be run, and it says of everything what it is for."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from dlqconsole.engine import schema
from dlqconsole.engine.schema import catalog

AGAIN = f"Migrate a database and run `{schema.AGAIN}` there to write the file anew."


pytestmark = pytest.mark.django_db


def run(statements):
    with connection.cursor() as cursor:
        cursor.execute(statements)


def test_the_file_is_what_a_migrated_database_has():
    found, made = schema.PATH.read_text(), schema.as_text()
    differing = [
        pair for pair in zip(found.splitlines(), made.splitlines(), strict=False) if len(set(pair)) > 1
    ]
    assert found == made, f"{AGAIN} The first line that differs: {differing[:1]}"


def test_run_where_nothing_is_it_makes_the_same_database():
    run("DROP SCHEMA public CASCADE")
    run("CREATE SCHEMA public")
    run(schema.PATH.read_text())
    assert schema.as_text() == schema.PATH.read_text()


def test_everything_that_is_ours_has_a_place_in_it():
    unplaced = {name for name in schema.unplaced() if not name.startswith(("auth_", "django_"))}
    assert not unplaced, f"Name these in engine/schema/chapters.py, where they are to be read. {AGAIN}"


def test_each_table_view_type_and_function_says_what_it_is():
    found = catalog.read()
    ours = {name for chapter in schema.chapters() for name in chapter.names}
    silent = {
        row["name"]
        for rows in (found.tables, found.views, found.types, found.functions)
        for name in ours & rows.keys()
        for row in rows[name]
        if not row["comment"]
    }
    assert not silent, "Say it with db_table_comment, or with COMMENT ON in the migration."


def test_each_index_says_which_query_it_serves():
    found = catalog.read()
    ours = {name for chapter in schema.chapters() for name in chapter.names}
    keys = [row for name in ours for row in found.constraints.get(name, ()) if row["indexed"]]
    indexes = [row for name in ours for row in found.indexes.get(name, ())]
    assert len(keys) + len(indexes) > 70
    silent = {row["name"] for row in keys + indexes if not row["comment"]}
    assert not silent, "Say it in the migration that makes the index: see migrations/0009_indexes.py."


def test_the_command_says_whether_the_file_is_true_and_writes_it(tmp_path, monkeypatch, capsys):
    call_command("schema", "--check")
    assert "is what the database has" in capsys.readouterr().out
    monkeypatch.setattr(schema, "PATH", tmp_path / "schema.sql")
    with pytest.raises(CommandError, match=r"is not what the database has\. Write it anew: manage.py schema"):
        call_command("schema", "--check")
    call_command("schema")
    assert (tmp_path / "schema.sql").read_text() == schema.as_text()


@pytest.mark.parametrize(
    "lacking",
    [
        "DROP SCHEMA public CASCADE; CREATE SCHEMA public",
        "DELETE FROM django_migrations WHERE app = 'operations' AND name LIKE '0003%'",
    ],
)
@pytest.mark.parametrize("options", [[], ["--check"]])
def test_a_database_that_is_not_migrated_writes_nothing(tmp_path, monkeypatch, lacking, options):
    monkeypatch.setattr(schema, "PATH", tmp_path / "schema.sql")
    schema.PATH.write_text("as before")
    run(lacking)
    with pytest.raises(CommandError, match=r"^This database is not migrated: manage\.py migrate$"):
        call_command("schema", *options)
    assert schema.PATH.read_text() == "as before"
