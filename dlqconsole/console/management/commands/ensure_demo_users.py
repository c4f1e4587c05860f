"""manage.py ensure_demo_users: the people of the demo, with the password from $DLQ_DEMO_PASSWORD."""

from typing import Any

from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand, CommandError

from dlqconsole.configuration.given import given_text
from dlqconsole.console.access.permissions import ROLES


class Command(BaseCommand):
    help = "Create the users viewer, operator and admin with DLQ_DEMO_PASSWORD; safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        password = given_text("DLQ_DEMO_PASSWORD")
        if not password:
            raise CommandError("Set DLQ_DEMO_PASSWORD to the password that the demo's users shall have.")
        for role in ROLES:
            _ensure(role, password)
        self.stdout.write(f"Users {', '.join(ROLES)} are there.")


def _ensure(role: str, password: str) -> None:
    user, _created = User.objects.get_or_create(username=role)
    user.is_staff = user.is_superuser = role == "admin"
    user.is_active = True
    if not user.check_password(password):  # a new hash would end the sessions that are open
        user.set_password(password)
    user.save()
    user.groups.set([Group.objects.get_or_create(name=role)[0]])
