"""Short faults of the database are waited out; every other error is reported in its own words.

An error is psycopg's, or a host's that was caused by it.
"""

import random
import time
from collections.abc import Callable

import psycopg

from dlqconsole.core.host import host

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
        except host().error as error:
            if not _passes(error):
                raise
            if connection_lost(error):
                host().close()
            time.sleep(random.uniform(0.01, 0.05 * 2**attempt))  # noqa: S311
    return step()


def _passes(error: Exception) -> bool:
    if sqlstate(error) in _DEADLOCK_OR_SERIALIZATION or connection_lost(error):
        return True
    return getattr(getattr(_cause(error), "diag", None), "constraint_name", None) in _RACES


def took_too_long(error: Exception) -> bool:
    """Tell whether a lock or a statement timed out: fewer rows at once may do."""
    return sqlstate(error) in _TOO_LONG


def is_refused(error: Exception) -> bool:
    """Tell whether the values are wrong: the database refuses them however often it is asked."""
    is_data = isinstance(_cause(error), psycopg.DataError | psycopg.IntegrityError)
    return is_data or sqlstate(error).startswith(_NEVER)


def is_denied(error: Exception) -> bool:
    """Tell whether this account may not do it."""
    return sqlstate(error) == "42501"


def connection_lost(error: Exception) -> bool:
    """Tell whether the session is gone: shut down, terminated, or never reached."""
    state = sqlstate(error)
    if state:
        return state.startswith(("08", "57P"))
    return isinstance(_cause(error), psycopg.OperationalError | psycopg.InterfaceError)


def sqlstate(error: Exception) -> str:
    """Return PostgreSQL's code for the error; empty when it never got that far."""
    return getattr(_cause(error), "sqlstate", None) or ""


def sentence(error: BaseException) -> str:
    """Return the database's message, without our statement and the row that it prints; else the error's own.

    What one of the database has caused, and is none, has words of its own.
    """
    is_of_database = isinstance(error, (psycopg.Error, host().error))
    diagnosis = getattr(_cause(error), "diag", None) if is_of_database else None
    text = getattr(diagnosis, "message_primary", None) or str(error)
    return " ".join(text.split())[:500]


def _cause(error: BaseException) -> BaseException | None:
    return error if isinstance(error, psycopg.Error) else error.__cause__
