"""Queues in MySQL or MariaDB: our lease queue there, and tables of other programs."""

from collections.abc import Mapping

from dlqconsole.transports.browser import Browser
from dlqconsole.transports.source import Source
from dlqconsole.transports.system import System

# a console without MySQL needs no client of it: each imports it when it is used


def _open() -> Source:
    from dlqconsole.transports.mysql.source import from_settings

    return from_settings()


def _browse() -> Browser:
    from dlqconsole.transports.mysql.source import from_settings

    return from_settings().browser()


def _open_table() -> Source:
    from dlqconsole.transports.mysql.table.source import from_settings

    return from_settings()


def _browse_table() -> Browser:
    from dlqconsole.transports.mysql.table.source import from_settings

    return from_settings().browser()


def _check_columns(columns: Mapping[str, str]) -> dict[str, str]:
    from dlqconsole.transports.mysql.table.columns import check_columns

    return check_columns(columns)


SYSTEM = System("mysql", "MySQL", _open, browser=_browse)
TABLES = System("mysql-table", "MySQL", _open_table, browser=_browse_table, check_columns=_check_columns)
