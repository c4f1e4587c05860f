"""The frozen SQL files: each is run by exactly one migration, and can be undone."""

import re
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from tests.database import leave_accounts_unseen

MIGRATIONS = Path(__file__).parents[3] / "dlqconsole/engine/migrations"


def test_each_sql_pair_is_run_by_exactly_one_migration():
    named = Counter(
        name
        for path in MIGRATIONS.glob("0*.py")
        for name in re.findall(r'run_sql_file\("(\w+)"\)', path.read_text())
    )
    files = {path.name for path in (MIGRATIONS / "sql").glob("*.sql")}
    assert files == {f"{name}.{way}.sql" for name in named for way in ("up", "down")}, (
        "Name each new pair in a migration of its own; never edit a released file."
    )
    assert set(named.values()) == {1}


@pytest.mark.django_db(transaction=True)
def test_the_functions_and_triggers_can_be_undone_and_made_again():
    try:
        call_command("migrate", "engine", "0001", verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_proc WHERE proname = 'revive_dead_letter'")
            assert cursor.fetchone() == (0,)
    finally:
        # what other rooms have migrated since goes back with it
        call_command("migrate", verbosity=0)
        leave_accounts_unseen()
