"""A queue table of another program in MySQL or MariaDB, as it stands."""

from dlqconsole.transports.browser import Browser
from dlqconsole.transports.mysql_table.columns import check_columns
from dlqconsole.transports.source import Source
from dlqconsole.transports.system import System


def _open() -> Source:
    # a console without MySQL needs no client of it
    from dlqconsole.transports.mysql_table.source import from_settings

    return from_settings()


def _browse() -> Browser:
    from dlqconsole.transports.mysql_table.source import from_settings

    return from_settings().browser()


SYSTEM = System("mysql-table", "MySQL", _open, browser=_browse, check_columns=check_columns)
