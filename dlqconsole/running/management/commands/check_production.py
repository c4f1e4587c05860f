"""manage.py check_production, or dlqconsole check: what is missing for production, a sentence each."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import checks
from django.core.management.base import CommandError
from django.db import DatabaseError

from dlqconsole.configuration.checks import is_local
from dlqconsole.configuration.demo_environment import data_directory
from dlqconsole.configuration.program import PROGRAM
from dlqconsole.console.monitoring.checks import NotReady, migrations
from dlqconsole.engine import known_handlers
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.engine.known_handlers import WORK
from dlqconsole.hosting.database import alias
from dlqconsole.running.up import FIRST_SIGN_IN
from dlqconsole.waking import worker_command

# all of them say again that there is no HTTPS
_OF_HTTPS = ("security.W004", "security.W008", "security.W012", "security.W016")


class Command(GatedCommand):
    help = "Say what is missing for production, in sentences. Exit status 1 if anything is."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            missing = [*_settings(), *_first_password(), *_database()]
        except DatabaseError as error:
            raise refused(error) from error
        for sentence in missing:
            self.stdout.write(f"- {sentence}")
        for sentence in _notes():
            self.stdout.write(f"Note: {sentence}")
        if missing:
            raise CommandError(f"{len(missing)} to do before production.")
        self.stdout.write("Nothing is missing.")


def _settings() -> Iterator[str]:
    if settings.SESSION_COOKIE_SECURE and not settings.DLQ_TRUSTED_PROXIES.is_there:
        yield "No proxy is trusted, so that no request counts as HTTPS: set DLQ_TRUSTED_PROXIES."
    if not settings.SESSION_COOKIE_SECURE:
        yield "Passwords and cookies go without HTTPS: put a proxy in front, and take DLQ_HTTPS=false away."
    if all(is_local(host) for host in settings.ALLOWED_HOSTS):
        yield "Only this machine reaches the console: set ALLOWED_HOSTS to its name."
    for message in checks.run_checks(include_deployment_checks=True, databases=[alias()]):
        is_said = not settings.SESSION_COOKIE_SECURE and message.id in _OF_HTTPS
        if message.level >= checks.WARNING and not message.is_silenced() and not is_said:
            yield " ".join(f"{message.msg} {message.hint or ''}".split())


def _first_password() -> Iterator[str]:
    file = data_directory() / FIRST_SIGN_IN
    if file.exists():
        yield f"The first password is still in {file}: change it, remove the file."


def _database() -> Iterator[str]:
    try:
        list(migrations())
    except NotReady as problem:
        yield f"{problem}."
        return
    if not get_user_model().objects.filter(is_superuser=True, is_active=True).exists():
        yield f"There is no administrator: run {PROGRAM} createsuperuser."
    if not known_handlers.serving(WORK):
        yield f"No worker has been heard of in two minutes. Start one: {worker_command(WORK)}"


def _notes() -> Iterator[str]:
    if not settings.REDIS_URL:
        yield "without REDIS_URL one worker wakes through PostgreSQL; several of Celery's need Redis."
    yield "nothing here makes backups: see that pg_dump does, as a role of pg_read_all_data."
