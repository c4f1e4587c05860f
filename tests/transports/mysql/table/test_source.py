"""The shared suite on a table of another program, with its own names of the columns."""

import pytest

from dlqconsole.transports import attachments
from dlqconsole.transports.mysql.table.source import from_settings
from tests.transports.conformance import Bench, Conformance
from tests.transports.mysql.mariadb import mariadb, mysql_transport  # noqa: F401 - fixtures

THEIRS = """
    CREATE TABLE IF NOT EXISTS outbox (
        nr BIGINT PRIMARY KEY AUTO_INCREMENT, body LONGTEXT NOT NULL, meta LONGTEXT,
        taken_by VARBINARY(255), taken_at DATETIME(6), tries INT UNSIGNED NOT NULL DEFAULT 0,
        made_at DATETIME(6) NOT NULL DEFAULT NOW(6)
    ) DEFAULT CHARACTER SET utf8mb4
"""
COLUMNS = {
    "id": "nr", "message": "body", "owner": "taken_by", "dequeued_time": "taken_at", "attempts": "tries",
    "headers": "meta", "created_at": "made_at",
}  # fmt: skip


class TestTable(Conformance):
    @pytest.fixture
    def bench(self, transactional_db, mariadb, mysql_transport):  # noqa: F811 - the fixtures
        mariadb.ask(THEIRS)
        mariadb.ask("DELETE FROM outbox")
        attachments.attach("mysql-table:outbox", actor="test", columns=COLUMNS)
        source = from_settings()

        def time_passes():
            mariadb.ask("UPDATE outbox SET taken_at = NOW(6) - INTERVAL 1 HOUR WHERE taken_at IS NOT NULL")

        yield Bench(source, "outbox", "no such table", "mysql-table:outbox", time_passes, source.close)
        source.close()
