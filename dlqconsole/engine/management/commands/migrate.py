"""manage.py migrate: Django's, one at a time. A second one waits until the first has ended."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import DatabaseError
from psycopg.errors import InsufficientPrivilege

from dlqconsole.core.errors import EngineError
from dlqconsole.core.schema import quoted
from dlqconsole.core.schema.upgrade import MAKE_SCHEMA
from dlqconsole.engine.database import sessions
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.database.sessions import long_statements, need_direct_line
from dlqconsole.hosting.database import connection

# of a session, for a migrate is many transactions; and it needs no table, for the first one finds none
_TRY = "SELECT pg_try_advisory_lock(1145852246)"
_WAIT = "SELECT pg_advisory_lock(1145852246)"


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        need_direct_line()
        try:
            with long_statements(), self._alone():
                super().handle(*args, **options)
        except EngineError as error:
            raise refused(error) from error
        except (DatabaseError, InsufficientPrivilege) as error:
            if not (refusal := _refusal(error)):
                raise
            raise CommandError(
                f"{connection.settings_dict['USER']} may not migrate: {refusal}. Do it as the owner of the"
                f" schema {settings.DLQ_SCHEMA} and its tables, or as one who may make that schema."
            ) from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            own = sessions.own_connection(lock_timeout="0")
        except psycopg.Error:
            # Django says it in words of its own
            yield
            return
        with closing(own):
            if own.execute(_TRY).fetchone() != (True,):
                self.stdout.write("Another migrate is at work on this database: waiting until it has ended.")
                own.execute(_WAIT)
            # before Django's own tables, which are to stand beside ours
            own.execute(MAKE_SCHEMA.format(schema=quoted(settings.DLQ_SCHEMA)))
            yield


def _refusal(error: BaseException) -> str:
    """Return what the server said if it was about rights; else empty. Django keeps its error as a context."""
    context = error.__context__
    for each in (error, error.__cause__, context, context and context.__cause__):
        if isinstance(each, InsufficientPrivilege):
            return str(each).splitlines()[0].rstrip(".")
    return ""
