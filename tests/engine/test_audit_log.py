"""The audit log only grows, whoever tries."""

import pytest
from django.db import ProgrammingError, connection, transaction

from dlqconsole.engine import audit
from tests.plain_sql import execute


def refused(statement):
    with (
        pytest.raises(ProgrammingError, match="audit_log only grows"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    ["UPDATE audit_log SET actor = 'somebody else'", "DELETE FROM audit_log"],
)
def test_a_row_can_be_neither_changed_nor_deleted(statement):
    audit.record("ann", "discard", "dead_letter:1")
    refused(statement)


@pytest.mark.django_db
def test_not_even_a_replication_role_may_change_it():
    audit.record("ann", "discard", "dead_letter:1")
    execute("SET LOCAL session_replication_role = replica")
    refused("DELETE FROM audit_log")


@pytest.mark.django_db
def test_it_cannot_be_truncated():
    refused("TRUNCATE audit_log")
