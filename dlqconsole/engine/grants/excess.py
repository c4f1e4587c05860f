"""Whether this process may do more in the database than it needs; said once, when it starts to talk to it."""

import logging
import sys
from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning
from django.db import DatabaseError, InterfaceError
from django.db.backends.signals import connection_created

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql

logger = logging.getLogger(__name__)
HINT = "Run manage.py grants --apply as the owner, and start it with the role dlq_app in DATABASE_URL."


def excess() -> str:
    """One sentence where the account is a superuser or owns the tables; empty where it is neither."""
    [me] = fetch_dicts(sql("grants.me"), {})
    if me["is_superuser"]:
        return f"The database account {me['name']} is a superuser: this process may do anything there."
    if me["owns_tables"]:
        return f"The database account {me['name']} owns the tables: it can change even the audit log."
    return ""


def check_rights(*, databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """For ``manage.py check --database default``. A database that is away is no matter of this check.

    Who migrates owns the tables, and needs no word about it.
    """
    try:
        found = excess() if databases and sys.argv[1:2] != ["migrate"] else ""
    except (DatabaseError, InterfaceError):
        return []
    return [Warning(found, hint=HINT, id="engine.W001")] if found else []


def warn_once_connected() -> None:
    """Log the sentence at this process's first connection: what runs for long calls this when it starts."""
    connection_created.connect(_warn, dispatch_uid=__name__)


def _warn(**_signal: Any) -> None:
    connection_created.disconnect(dispatch_uid=__name__)
    try:
        found = excess()
    except (DatabaseError, InterfaceError):
        return
    if found:
        logger.warning("%s %s", found, HINT)
