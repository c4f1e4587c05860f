"""manage.py ensure_demo_users: the users of the demo, with the password from $DLQ_DEMO_PASSWORD.

Only in a database that the demo made: elsewhere an account named admin belongs to somebody.
"""

import os
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.management.base import CommandError

from dlqconsole.configuration.demo_environment import DATABASE_MARK
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.hosting.database import connection
from dlqconsole.people.roles import ROLES

_MARK = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()"


class Command(GatedCommand):
    help = "Create a user of each role with DLQ_DEMO_PASSWORD; safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        password = os.environ.get("DLQ_DEMO_PASSWORD")
        if not password:
            raise CommandError("Set DLQ_DEMO_PASSWORD to the password that the demo's users shall have.")
        if _mark() != DATABASE_MARK:
            raise CommandError("This database was not made by make demo: its accounts are left alone.")
        for role in ROLES:
            _ensure(role, password)
        self.stdout.write(f"Users {', '.join(ROLES)} are there.")


def _mark() -> str:
    """The comment of the database, by which the demo marks its own."""
    with connection.cursor() as cursor:
        cursor.execute(_MARK)
        return str(cursor.fetchone()[0])


def _ensure(role: str, password: str) -> None:
    user, _is_new = User.objects.get_or_create(username=role)
    user.is_staff = user.is_superuser = role == "admin"
    user.is_active = True
    if not user.check_password(password):  # a new hash would end the sessions that are open
        user.set_password(password)
    user.save()
    user.groups.set([Group.objects.get_or_create(name=role)[0]])
