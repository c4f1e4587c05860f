"""PGMQ, the queue extension for PostgreSQL: in the console's own database, or in another."""

from django.conf import settings

from dlqconsole.transports.browser import Browser
from dlqconsole.transports.source import Source
from dlqconsole.transports.system import RelaySteps, System


def _open() -> Source:
    if settings.DLQ_PGMQ_URL:
        from dlqconsole.transports.pgmq.elsewhere import PgmqElsewhere

        return PgmqElsewhere(settings.DLQ_PGMQ_URL)
    from dlqconsole.transports.pgmq.source import PgmqSource

    return PgmqSource()


def _relay_steps() -> RelaySteps:
    """Return our quicker steps where both are one database."""
    if settings.DLQ_PGMQ_URL:
        from dlqconsole.transports.relay import steps

        return steps
    from dlqconsole.transports.pgmq import relay

    return relay


def _browse() -> Browser:
    if settings.DLQ_PGMQ_URL:
        from dlqconsole.transports.pgmq.elsewhere import PgmqBrowserElsewhere

        return PgmqBrowserElsewhere(settings.DLQ_PGMQ_URL)
    from dlqconsole.transports.pgmq.browser import PgmqBrowser

    return PgmqBrowser()


# PGMQ knows no capitals: "Orders" and "orders" are one queue, and must be one here
SYSTEM = System("pgmq", "PGMQ", _open, remote_name=str.lower, relay_steps=_relay_steps, browser=_browse)
