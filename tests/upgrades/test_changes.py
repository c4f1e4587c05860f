"""A change of the tables: an edit of the noun's file, and a numbered file for databases that exist."""

import shutil

import pytest

from dlqconsole import __version__
from dlqconsole.core import schema
from dlqconsole.core.schema import upgrade as upgrading
from dlqconsole.core.schema.upgrade import NewerDatabase, all_parts, applied_parts, upgrade
from tests.core.catalog import catalog
from tests.core.conftest import new_database  # noqa: F401 - a fixture

# The example of the recipe in docs/architecture.md.
COLUMN = "    example text NOT NULL DEFAULT '',\n"
BEFORE = "    occurrences integer NOT NULL DEFAULT 1,\n"
REMARK = "COMMENT ON COLUMN dlq_events.example IS 'what somebody wrote down about it';\n"
CHANGE = "ALTER TABLE dlq_events ADD COLUMN example text NOT NULL DEFAULT '';\n"
# What needs no change: a table, an index, types, a view, a function, and one that has another body.
MORE = """
CREATE TABLE examples (id bigint NOT NULL, CONSTRAINT examples_pkey PRIMARY KEY (id));
INSERT INTO examples VALUES (1);
CREATE INDEX examples_again ON examples (id);
CREATE TYPE example AS (
    id bigint
);
CREATE DOMAIN example_number AS bigint CONSTRAINT example_number_in_bounds
    CHECK (VALUE > 0);
CREATE VIEW examples_now AS SELECT id FROM examples;
CREATE FUNCTION example_count() RETURNS bigint LANGUAGE sql
    SET search_path FROM CURRENT
AS $$
    SELECT count(*) FROM examples
$$;
REVOKE EXECUTE ON FUNCTION example_count() FROM PUBLIC;
"""


@pytest.fixture
def old(new_database):  # noqa: F811
    """A database of the version before."""
    own = new_database()
    upgrade(own.execute)
    return own


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files of the version after, which a test may edit."""
    shutil.copytree(schema.FOLDER, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(schema, "FOLDER", tmp_path)
    (tmp_path / "changes").mkdir(exist_ok=True)
    return tmp_path


def test_a_database_that_was_changed_equals_one_that_was_made_so(old, files, new_database):  # noqa: F811
    _add_column(files, CHANGE)
    assert upgrade(old.execute) == ["core"]
    new = new_database()
    upgrade(new.execute)
    assert catalog(old) == catalog(new)
    assert "dlq_events.example" in {thing.name for thing in catalog(new)}


def test_a_change_that_differs_from_its_file_is_noticed(old, files, new_database):  # noqa: F811
    _add_column(files, "ALTER TABLE dlq_events ADD COLUMN example text")
    upgrade(old.execute)
    new = new_database()
    upgrade(new.execute)
    assert {thing.name for thing in catalog(old) ^ catalog(new)} >= {"dlq_events.example"}


def test_new_tables_and_functions_need_no_change(old, files, new_database):  # noqa: F811
    _edit(files / "locks.sql", "AS $$\n", "AS $$\n    -- as ever\n", at_end=MORE)
    upgrade(old.execute)
    new = new_database()
    upgrade(new.execute)
    assert catalog(old) == catalog(new)
    assert "as ever" in str(catalog(old))


def test_what_has_not_changed_is_left_alone(old, files):
    assert upgrade(old.execute) == []
    _add_column(files, CHANGE)
    assert upgrade(old.execute) == ["core"]
    assert upgrade(old.execute) == []


def test_a_new_database_has_the_changes_already(files, new_database):  # noqa: F811
    _add_column(files, CHANGE)
    own = new_database()
    upgrade(own.execute)
    assert applied_parts(own.execute)["core"].change == 1


def test_grants_and_rows_stay(old, files):
    old.execute("CREATE ROLE example_reader")
    old.execute("GRANT EXECUTE ON FUNCTION queue_send TO example_reader")
    old.execute("DELETE FROM failure_rules WHERE position > 3")
    _add_column(files, CHANGE)
    upgrade(old.execute)
    assert old.execute(
        "SELECT has_function_privilege('example_reader', 'queue_send'::regproc, 'EXECUTE')"
    ).fetchone()[0]
    assert old.execute("SELECT count(*) FROM failure_rules").fetchone() == (3,)
    old.rollback()


def test_a_feature_may_come_later_go_and_come_back(old, tmp_path):
    """What it has in tables stays while it is away; when it is back, it gets the changes since."""
    feature = tmp_path / "example"
    (feature / "changes").mkdir(parents=True)
    (feature / "schema.sql").write_text("CREATE TABLE examples (id bigint);\n")
    assert upgrade(old.execute, all_parts([feature])) == ["example"]
    old.execute("INSERT INTO examples VALUES (7)")
    assert upgrade(old.execute) == []
    (feature / "schema.sql").write_text("CREATE TABLE examples (id bigint, note text);\n")
    (feature / "changes" / "1_note.sql").write_text("ALTER TABLE examples ADD COLUMN note text;\n")
    assert upgrade(old.execute, all_parts([feature])) == ["example"]
    assert old.execute("SELECT id, note FROM examples").fetchall() == [(7, None)]


def test_tables_in_a_schema_of_their_own_are_upgraded_there(files, new_database):  # noqa: F811
    own = new_database()
    upgrade(own.execute, schema_name="dead letters")
    own.commit()
    _add_column(files, CHANGE)
    assert upgrade(own.execute, schema_name="dead letters") == ["core"]
    own.commit()
    assert not [thing for thing in catalog(own) if thing.kind == "relation"]
    assert "dlq_events.example" in {thing.name for thing in catalog(own, '"dead letters"')}


def test_a_type_beside_ours_does_not_stand_in_for_it(files, new_database):  # noqa: F811
    own = new_database()
    upgrade(own.execute, schema_name="dead letters", beside="public")
    own.execute("CREATE TYPE public.example AS (theirs text)")
    own.execute("CREATE DOMAIN public.example_number AS text")
    own.commit()
    _edit(files / "locks.sql", "AS $$\n", "AS $$\n    -- as ever\n", at_end=MORE)
    upgrade(own.execute, schema_name="dead letters", beside="public")
    own.commit()
    assert {"example", "example_number"} <= {thing.name for thing in catalog(own, '"dead letters"')}


def test_tables_of_a_newer_version_are_left_alone(old, files, monkeypatch):
    _add_column(files, CHANGE)
    monkeypatch.setattr(upgrading, "__version__", "9.10.2")
    upgrade(old.execute)
    monkeypatch.undo()
    with pytest.raises(NewerDatabase) as refused:
        upgrade(old.execute)
    assert str(refused.value) == (
        f"This database has the tables of dlqconsole 9.10.2, and this is {__version__}: nothing was changed."
        " Install 9.10.2 or newer, or restore the dump from before the upgrade."
    )


def test_numbers_of_changes_have_no_gap():
    from dlqconsole.tables.features import feature_folders

    for part in all_parts(feature_folders()):
        assert [*part.changes] == [*range(1, part.change + 1)], part.name


def _add_column(folder, change):
    _edit(folder / "dead_letters.sql", BEFORE, COLUMN + BEFORE, at_end=f"\n{REMARK}")
    (folder / "changes" / "1_example.sql").write_text(change)


def _edit(file, text, instead, at_end=""):
    before, after = file.read_text().split(text, 1)
    file.write_text(f"{before}{instead}{after}{at_end}")
