"""The way out takes nothing of others along."""

import pytest

from dlqconsole.running import removal
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("CREATE VIEW mine AS SELECT id FROM dlq_events", "view mine"),
        ("CREATE TABLE mine (id bigint REFERENCES dlq_events (id))", "constraint mine_id_fkey on table mine"),
        # its columns are of our domains, and would go with them
        ("CREATE TABLE mine (LIKE message_queue)", "table mine"),
    ],
)
def test_what_others_have_built_upon_our_tables_is_named(statement, name):
    assert removal.leaning() == []
    execute(statement)
    assert removal.leaning() == [name]
