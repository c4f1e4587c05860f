"""The database of one test process: a copy of a migrated template, and as that template after each test.

The first process of a run migrates the template, the others wait for it and copy. What a test committed is
deleted row by row: Django's `flush` truncates all tables and writes all permissions anew, for every test.
What was rolled back or deleted is still in the tables and would be walked over by all later tests: every few
tests it is vacuumed away, for the server's own autovacuum is off (tests/servers.py).
"""

import os
from collections.abc import Iterable

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg.pq import TransactionStatus
from psycopg.sql import SQL, Composed, Identifier

from dlqconsole.core import prepared
from dlqconsole.engine.database import sessions

# any number that the processes of a run agree on
TEMPLATE_LOCK = 20_240_229
TESTS_BETWEEN_VACUUMS = 25
# What grew beyond it is truncated: its dead rows would be read by each later test.
LARGE_BYTES = 512 * 1024
# They refuse, even replication; verify_audit says so where they do not, so they only do while we empty them.
ONLY_GROW = ("audit_log", "audit_seals")
REFUSING_NOT = "ALTER TABLE {} DISABLE TRIGGER USER"
REFUSING = "ALTER TABLE {} ENABLE ALWAYS TRIGGER {}, ENABLE ALWAYS TRIGGER {}"
# Nearly every test makes accounts, and many look at all that the log says. What is about accounts has them
# audited again: tests/people/conftest.py. What migrating wrote is not there when a test begins.
ACCOUNTS = (
    "auth_user", "auth_user_groups", "auth_group", "auth_user_user_permissions", "auth_group_permissions",
)  # fmt: skip
_OF_ACCOUNTS = ("audit_came", "audit_changed", "audit_went", "audit_emptied")
UNSEEN = "ALTER TABLE {} " + ", ".join(f"DISABLE TRIGGER {name}" for name in _OF_ACCOUNTS)
SEEN = "ALTER TABLE {} " + ", ".join(f"ENABLE ALWAYS TRIGGER {name}" for name in _OF_ACCOUNTS)
TABLES = (
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
    " AND NOT relispartition ORDER BY 1"
)

CROWDED = "SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public' AND n_dead_tup > 20"

# how many rows a table has, and what they add up to
Summary = tuple[int, int | None]
EVERY_ROW = "SELECT {}, count(*), sum(hashtext(row::text)) FROM {} row"
ANY_ROW = "SELECT {}, count(*), NULL::bigint FROM (SELECT FROM {} LIMIT 1) row"


class TestDatabase:
    """A database for one process of a run, on the server of DATABASE_URL. Its account must be a superuser."""

    __test__ = False

    def __init__(self, run: str, process: str) -> None:
        self.template = f"test_{run}"
        self.name = f"test_{run}_{process}"
        self.summaries: dict[str, Summary] = {}
        self.rows: dict[str, bytes] = {}
        # said after each test that commits: the words are put together once
        self.locking = self.looking = ""
        self.tests = 0

    def create(self) -> None:
        """Copy the template, and have Django use the copy from here on."""
        with _maintenance() as session:
            self._make_template(session)
            session.execute(_named("CREATE DATABASE {} TEMPLATE {}", self.name, self.template))
        _use(self.name)
        self._remember()

    def make_template(self) -> None:
        """Have it there before somebody needs a copy."""
        with _maintenance() as session:
            self._make_template(session)

    def restore(self) -> None:
        """Give every table the rows of the template again; sequences go on counting.

        Whoever still writes is waited for, so that nothing of a test arrives in the next one.
        """
        with transaction.atomic(), connection.cursor() as cursor:
            # neither triggers nor foreign keys have a say: the rows of the template agree with each other
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(self.locking)
            for table, summary in _summaries(cursor, self.looking).items():
                if summary != self.summaries[table]:
                    _empty(cursor, table)
                    _fill(cursor, table, self.rows.get(table, b""))

    def renew_session(self) -> bool:
        """Have our session forget what a test made of it; False where only a new one would do.

        A new one reads the catalogs and compiles the triggers that a test meets, longer than most take.
        """
        if connection.in_atomic_block or not connection.get_autocommit():
            return False
        session: psycopg.Connection = connection.connection
        # what claims messages has it keep their plans: dlqconsole/core/prepared.py
        prepared._KEEP_PLANS.discard(session)
        session.prepare_threshold = None
        session._prepared.clear()
        session.execute("DISCARD ALL", prepare=False)
        connection.init_connection_state()
        sessions.settle(session)
        return True

    def pytest_runtest_logfinish(self) -> None:
        """After a test, and now and then: remove the dead rows where there are many, and no lock."""
        self.tests += 1
        if self.tests >= TESTS_BETWEEN_VACUUMS and (session := _at_rest()):
            self.tests = 0
            if crowded := [name for (name,) in session.execute(CROWDED)]:
                session.execute(_listed("VACUUM (SKIP_LOCKED) {}", crowded))

    def drop(self) -> None:
        """Remove it, whoever is still connected."""
        connection.close()
        with _maintenance() as session:
            session.execute(_named("DROP DATABASE {} WITH (FORCE)", self.name))

    def _make_template(self, session: psycopg.Connection) -> None:
        session.execute("SELECT pg_advisory_lock(%s)", [TEMPLATE_LOCK])
        if not session.execute("SELECT FROM pg_database WHERE datname = %s", [self.template]).rowcount:
            self._migrate(session)

    def _migrate(self, session: psycopg.Connection) -> None:
        # Only a whole template gets the name: where one process fails, the next one tries, and says why.
        unfinished = f"{self.template}_unfinished"
        session.execute(_named("DROP DATABASE IF EXISTS {}", unfinished))
        session.execute(_named("CREATE DATABASE {}", unfinished))
        _use(unfinished)
        call_command("migrate", verbosity=0)
        with connection.cursor() as cursor:
            cursor.execute(TABLES)
            for table in {name for (name,) in cursor}.intersection(ONLY_GROW):
                _empty_what_only_grows(cursor, table)
            # Tests write reasons as they please; what is about shipped rules asks for them.
            cursor.execute("DELETE FROM failure_rules")
        leave_accounts_unseen()
        connection.close()
        session.execute(_named("ALTER DATABASE {} RENAME TO {}", unfinished, self.template))

    def _remember(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(TABLES)
            tables = [name for (name,) in cursor]
            self.summaries = _summaries(cursor, _looking(dict.fromkeys(tables, EVERY_ROW)))
            self.rows = {table: _copied(cursor, table) for table, (rows, _) in self.summaries.items() if rows}
        self.locking = _listed("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE", tables).as_string()
        # that there is a row says enough of a table that should have none
        self.looking = _looking({table: EVERY_ROW if table in self.rows else ANY_ROW for table in tables})


def leave_accounts_unseen() -> None:
    """Have nothing be audited of accounts: what has migrated has made the triggers anew."""
    with connection.cursor() as cursor:
        for table in ACCOUNTS:
            cursor.execute(_named(UNSEEN, table))


def _maintenance() -> psycopg.Connection:
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


def _at_rest() -> psycopg.Connection | None:
    """Django's session, which knows the tables already, where it is open and in no transaction."""
    kept: psycopg.Connection | None = connection.connection
    if kept and kept.autocommit and kept.info.transaction_status == TransactionStatus.IDLE:
        return kept
    return None


def _use(name: str) -> None:
    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name


def _looking(questions: dict[str, str]) -> str:
    asked = [SQL(question).format(table, Identifier(table)) for table, question in questions.items()]
    return SQL(" UNION ALL ").join(asked).as_string()


def _summaries(cursor: CursorWrapper, looking: str) -> dict[str, Summary]:
    cursor.execute(looking)
    return {table: (rows, total) for table, rows, total in cursor}


def _empty_what_only_grows(cursor: CursorWrapper, table: str) -> None:
    cursor.execute(_named(REFUSING_NOT, table))
    cursor.execute(_named("TRUNCATE {}", table))
    cursor.execute(_named(REFUSING, table, f"{table}_refuse", f"{table}_refuse_truncate"))


def _empty(cursor: CursorWrapper, table: str) -> None:
    if table in ONLY_GROW:
        _empty_what_only_grows(cursor, table)
        return
    cursor.execute("SELECT sum(pg_table_size(relid)) > %s FROM pg_partition_tree(%s)", [LARGE_BYTES, table])
    (large,) = cursor.fetchone()
    cursor.execute(_named("TRUNCATE {} CASCADE" if large else "DELETE FROM {}", table))


def _copied(cursor: CursorWrapper, table: str) -> bytes:
    with cursor.copy(_named("COPY {} TO STDOUT", table)) as copy:
        return b"".join(map(bytes, copy))


def _fill(cursor: CursorWrapper, table: str, rows: bytes) -> None:
    if rows:
        with cursor.copy(_named("COPY {} FROM STDIN", table)) as copy:
            copy.write(rows)


def _named(statement: str, *names: str) -> Composed:
    return SQL(statement).format(*map(Identifier, names))


def _listed(statement: str, names: Iterable[str]) -> Composed:
    return SQL(statement).format(SQL(", ").join(map(Identifier, names)))
