"""What all tests share."""

import pytest
from django.db import connection


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Let Django empty the tables between tests: the audit log refuses TRUNCATE, as it should.

    tests/engine/test_audit_log.py turns the refusal on again to try it.
    """
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_log DISABLE TRIGGER audit_log_refuse_truncate")
