"""The page of a table of another program: MySQL's, with the names and the rule of that table."""

from collections.abc import Callable

from dlqconsole.transports.mysql.browser import MysqlBrowser
from dlqconsole.transports.mysql.connection import MysqlConnections
from dlqconsole.transports.mysql.table.columns import Table


class MysqlTableBrowser(MysqlBrowser):
    """The messages in a table. Whoever claimed one holds it, until the table's own timeout."""

    def __init__(self, connections: MysqlConnections, table_of: Callable[[str], Table]) -> None:
        super().__init__(connections, "mysql-table")
        self._table_of = table_of

    def _sql(self, query: str, queue: str) -> str:
        return self._table_of(queue).within(query)
