"""PGMQ, the queue extension for PostgreSQL: in the console's own database, or in another."""

from dlqconsole.transports.browser import Browser
from dlqconsole.transports.source import Source
from dlqconsole.transports.system import RelaySteps, System


def _open() -> Source:
    from dlqconsole.transports.pgmq.source import PgmqSource

    return PgmqSource()


def _relay_steps() -> RelaySteps:
    from dlqconsole.transports.pgmq import relay

    return relay


def _browse() -> Browser:
    from dlqconsole.transports.pgmq.browser import PgmqBrowser

    return PgmqBrowser()


def _open_elsewhere() -> Source:
    from dlqconsole.transports.pgmq.elsewhere import PgmqElsewhere

    return PgmqElsewhere()


def _browse_elsewhere() -> Browser:
    from dlqconsole.transports.pgmq.elsewhere import PgmqBrowserElsewhere

    return PgmqBrowserElsewhere()


# PGMQ knows no capitals: "Orders" and "orders" are one queue, and must be one here
SYSTEM = System("pgmq", "PGMQ", _open, remote_name=str.lower, relay_steps=_relay_steps, browser=_browse)
ELSEWHERE = System("pgmq-service", "PGMQ", _open_elsewhere, remote_name=str.lower, browser=_browse_elsewhere)
