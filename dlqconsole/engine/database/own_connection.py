"""A connection beside Django's, for work that must not wait for a handler: listening and heartbeats."""

from typing import Any

import psycopg

from dlqconsole.core import sessions
from dlqconsole.hosting.database import connection

_DJANGO_ONLY = ("cursor_factory", "context", "prepare_threshold")


def connect(lock_timeout: str = "10s", **defaults: Any) -> "psycopg.Connection[tuple[Any, ...]]":
    """Open one to the same database, in autocommit: inside a transaction a listener hears nothing.

    ``defaults`` are parameters of libpq; what DATABASE_URL says about them counts more.
    """
    parameters = connection.get_connection_params()
    for name in _DJANGO_ONLY:
        parameters.pop(name, None)
    # a dead network is noticed within a minute
    keepalives = {"keepalives_idle": 20, "keepalives_interval": 5, "keepalives_count": 3}
    parameters = keepalives | defaults | parameters
    own = psycopg.connect(**parameters, autocommit=True)
    # a heartbeat goes by key, however small the table was when its plan was made
    sessions.settle(own, enable_seqscan="off", lock_timeout=lock_timeout)
    return own
