"""Which transport serves a queue, by its name: ``pgmq:orders``, ``mysql:orders``, or plain ``orders``."""

from dlqconsole.transports.models import TransportKind
from dlqconsole.transports.protocol import Transport


def parts(name: str) -> tuple[str, str]:
    """The transport's kind and the name its system uses; a queue of ours has the kind ``""``."""
    kind, _colon, remote = name.partition(":")
    if kind not in TransportKind.values or not remote:
        return "", name
    # PGMQ knows no capitals: "Orders" and "orders" are one queue, and must be one here
    return kind, remote.lower() if kind == TransportKind.PGMQ else remote


def attached_name(name: str) -> str:
    """The name as it stands in our tables."""
    kind, remote = parts(name)
    return f"{kind}:{remote}" if kind else name


def transport_of(name: str) -> tuple[Transport, str]:
    """The transport that serves a queue, and the queue's name there. Raises TransportUnavailable."""
    kind, remote = parts(name)
    return _transport(kind), remote


def _transport(kind: str) -> Transport:
    # imported when first asked for: a console without MySQL needs no client of it
    if kind == TransportKind.MYSQL:
        from dlqconsole.transports.mysql import configured

        return configured()
    if kind == TransportKind.PGMQ:
        from dlqconsole.transports.pgmq import PgmqTransport

        return PgmqTransport()
    from dlqconsole.transports.postgres import PostgresTransport

    return PostgresTransport()
