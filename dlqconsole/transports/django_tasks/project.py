"""The project's own tasks and their results, as far as a guest can reach them."""

from importlib import import_module
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import router

from dlqconsole.core.errors import InvalidMessage, UnknownQueue
from dlqconsole.transports.errors import TransportUnavailable

BACKEND = "django_tasks_db"


def require(queue: str) -> None:
    """Raise UnknownQueue for another project's tasks, TransportUnavailable where none can be enqueued."""
    if not apps.is_installed(BACKEND):
        raise TransportUnavailable(
            f"Tasks cannot be revived here: {BACKEND} is not in INSTALLED_APPS. The console must be a guest"
            " in the project whose tasks they are, see docs/guest.md."
        )
    if queue != name():
        raise UnknownQueue(
            f"Tasks of {queue!r} cannot be revived here: the console is a guest in {name()!r}."
            f" Write django-tasks:{name()}."
        )


def name() -> str:
    """Return the project's name: that of the package which its settings are in, as its client says it."""
    return settings.SETTINGS_MODULE.partition(".")[0]


def database() -> str:
    """Return the alias of the database that tasks are enqueued in."""
    return router.db_for_write(results())


def results() -> Any:
    """Return the model of the tasks' results."""
    return apps.get_app_config("django_tasks_database").get_model("DBTaskResult")


def task(path: str) -> Any:
    """Return the task of that name. Raises InvalidMessage.

    A name comes with a report, so it can have no module imported but one of the project's applications.
    """
    module, _dot, function = path.rpartition(".")
    if apps.get_containing_app_config(module) is None:
        raise InvalidMessage(f"It cannot be revived here: {module!r} is in no application of this project.")
    try:
        task = getattr(import_module(module), function)
    except Exception as error:  # whatever their module does
        raise InvalidMessage(
            f"It cannot be revived here: there is no task {path!r} ({type(error).__name__})."
        ) from None
    if not hasattr(task, "using") or not hasattr(task, "enqueue"):
        raise InvalidMessage(f"It cannot be revived here: {path!r} is no task.")
    return task
