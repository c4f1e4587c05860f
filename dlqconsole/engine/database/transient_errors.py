"""Short faults of the database are waited out; every other error is reported in its own words."""

import random
import time
from collections.abc import Callable

from django.db import (
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    OperationalError,
    connection,
)

ATTEMPTS = 5
_DEADLOCK_OR_SERIALIZATION = {"40P01", "40001"}
# Two consumers went for one group at the same moment: the guard let one of them.
_RACES = {"message_queue_one_of_a_group", "message_queue_unlogged_one_of_a_group"}
_TOO_LONG = {"55P03", "57014"}
# Beyond a limit of PostgreSQL (a jsonb of 256 MB, an index row too long), which the driver takes for an error
# of operation; and a handler that went on after an error in its transaction, which then cannot be committed.
_NEVER = ("54", "25P02")


def retry_transient[Result](step: Callable[[], Result]) -> Result:
    """Run ``step``; after a deadlock, a race or a lost connection again, five times at most, after pauses.

    The step must be one transaction by compare-and-set: when the connection broke in the commit, nobody
    knows whether it happened, and doing it again must change nothing.
    """
    for attempt in range(1, ATTEMPTS):
        try:
            return step()
        except Error as error:
            if not _passes(error):
                raise
            if connection_lost(error):
                connection.close()
            time.sleep(random.uniform(0.01, 0.05 * 2**attempt))  # noqa: S311
    return step()


def _passes(error: Error) -> bool:
    if sqlstate(error) in _DEADLOCK_OR_SERIALIZATION or connection_lost(error):
        return True
    return getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) in _RACES


def took_too_long(error: Error) -> bool:
    """Tell whether a lock or a statement timed out: fewer rows at once may do."""
    return sqlstate(error) in _TOO_LONG


def is_refused(error: Error) -> bool:
    """Tell whether the values are wrong: the database refuses them however often it is asked."""
    return isinstance(error, DataError | IntegrityError) or sqlstate(error).startswith(_NEVER)


def connection_lost(error: Error) -> bool:
    """Tell whether the session is gone: shut down, terminated, or never reached."""
    state = sqlstate(error)
    if state:
        return state.startswith(("08", "57P"))
    return isinstance(error, OperationalError | InterfaceError)


def sqlstate(error: Error) -> str:
    """Return PostgreSQL's code for the error; empty when it never got that far."""
    return getattr(error.__cause__, "sqlstate", None) or ""


def sentence(error: Error) -> str:
    """Return the database's message, without the pointers into our statement."""
    diagnosis = getattr(error.__cause__, "diag", None)
    text = getattr(diagnosis, "message_primary", None) or str(error)
    return " ".join(text.split())[:500]
