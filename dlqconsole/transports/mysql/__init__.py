"""The lease queue on MySQL or MariaDB."""

from dlqconsole.transports.browser import Browser
from dlqconsole.transports.source import Source
from dlqconsole.transports.system import System


def _open() -> Source:
    # a console without MySQL needs no client of it
    from dlqconsole.transports.mysql.source import from_settings

    return from_settings()


def _browse() -> Browser:
    from dlqconsole.transports.mysql.source import from_settings

    return from_settings().browser()


SYSTEM = System("mysql", "MySQL", _open, browser=_browse)
