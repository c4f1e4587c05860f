import pytest
from django.db import connection

from tests.database import ACCOUNTS, SEEN


@pytest.fixture
def audited_accounts(db) -> None:
    """The triggers that write changes of accounts into the audit log are on, as everywhere but in tests."""
    with connection.cursor() as cursor:
        for table in ACCOUNTS:
            cursor.execute(SEEN.format(table))
