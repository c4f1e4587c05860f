"""Nobody calls a function of ours without a grant: PUBLIC's right on each new function is revoked."""

from typing import Any

from django.db import connections, router

from dlqconsole.engine.grants.objects import ours


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
