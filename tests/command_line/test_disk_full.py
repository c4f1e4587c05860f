"""A disk that is full is a sentence of a command, and nothing is half done."""

import pytest
from django.core.management import CommandError, call_command

from tests.plain_sql import execute

# what PostgreSQL raises when it cannot extend a file
_FULL = """
CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
CREATE TRIGGER no_room BEFORE INSERT ON message_queue FOR EACH STATEMENT EXECUTE FUNCTION no_room();
"""


@pytest.mark.django_db
def test_it_says_what_to_do(monkeypatch, tmp_path):
    execute(_FULL)
    lines = tmp_path / "lines"
    lines.write_text('{"order_id": 1}\n')
    with lines.open() as given:
        monkeypatch.setattr("sys.stdin", given)
        with pytest.raises(CommandError, match=r"^The disk of the database is full"):
            call_command("send", "orders")
