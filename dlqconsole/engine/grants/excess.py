"""Rights that nobody should have: a warning about this process's account, and functions closed to PUBLIC."""

import logging
import sys
from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning
from django.db import DatabaseError, InterfaceError, connections, router
from django.db.backends.signals import connection_created

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.grants.objects import ours
from dlqconsole.engine.sql import sql

logger = logging.getLogger(__name__)
HINT = f"Run {PROGRAM} grants --apply as the owner, and start it with the role dlq_app in DATABASE_URL."


def excess() -> str:
    """Return a sentence if the account is a superuser or owns the tables; else empty."""
    [me] = fetch_dicts(sql("grants.me"), {})
    if me["is_superuser"]:
        return f"The database account {me['name']} is a superuser: this process may do anything there."
    if me["owns_tables"]:
        return f"The database account {me['name']} owns the tables: it can change even the audit log."
    return ""


def check_rights(*, databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """Check for ``manage.py check --database default``. Say nothing about a database that is away.

    The account that migrates owns the tables, as it must: no warning then.
    """
    try:
        sentence = excess() if databases and sys.argv[1:2] != ["migrate"] else ""
    except (DatabaseError, InterfaceError):
        return []
    return [Warning(sentence, hint=HINT, id="engine.W001")] if sentence else []


def warn_once_connected() -> None:
    """Log the sentence at this process's first connection. Long-running programs call it at start."""
    connection_created.connect(_warn, dispatch_uid=__name__)


def _warn(**_signal: Any) -> None:
    connection_created.disconnect(dispatch_uid=__name__)
    try:
        sentence = excess()
    except (DatabaseError, InterfaceError):
        return
    if sentence:
        logger.warning("%s %s", sentence, HINT)


def close_functions(using: str, **_signal: Any) -> None:
    """Revoke PUBLIC's right on functions after each migrate; ``manage.py grants`` grants them by name.

    To make a trigger somebody needs EXECUTE on its function, too: nobody can put ours on a table of his own.
    """
    if not router.allow_migrate(using, "dlq_engine"):
        return
    for function in ours().functions:
        if function["is_open"]:
            with connections[using].cursor() as cursor:
                cursor.execute(f"REVOKE EXECUTE ON FUNCTION {function['signature']} FROM PUBLIC")
