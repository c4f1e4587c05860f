"""What the second fork server has done, beyond imports: all that our Django programs begin with.

It has the applications set up, and our commands and what tasks do imported, with settings that are then
forgotten: a program reads its own from its own environment, where it would have read them. What else of the
environment is read meanwhile is in READ, and who says something else there is started without this
(tests/starting.py); tests/test_prepared.py sees to it that there is no more.
"""

import ast
import importlib
import os
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
SETTINGS = "dlqconsole.settings"
READ = ("DEBUG", "DJANGO_SETTINGS_MODULE")
# These have a Celery application, which changes the environment, or what the processes of one worker share.
LEFT = ("retry_due", "schedule", "work")
# What tasks do; they themselves are left as well.
BEHIND_TASKS = (
    "dlqconsole.contrib.sealing.checks",
    "dlqconsole.contrib.insight.drift",
    "dlqconsole.operations.pages.exporting",
    "dlqconsole.operations.receipts.receipt",
    "dlqconsole.operations.work.run",
    "dlqconsole.contrib.playbooks.tick",
    "dlqconsole.reports.schedule",
    "dlqconsole.retries.run_records",
    "dlqconsole.retries.beat_heartbeats",
    "dlqconsole.runs.service",
    "dlqconsole.transports.relay",
)


def is_for(arguments: list[str], folder: str) -> bool:
    """Whether this command line starts a program of this checkout that sets up Django."""
    program, *rest = arguments
    if program != "-m":
        return Path(folder, program) == CHECKOUT / "manage.py"
    return Path(folder) == CHECKOUT and (rest[0] == "celery" or _sets_up_django(rest[0]))


@cache
def _sets_up_django(module: str) -> bool:
    """Of our tests' programs, which are modules of tests: whether it says ``django.setup()``."""
    file = CHECKOUT.joinpath(*module.split(".")).with_suffix(".py")
    if not module.startswith("tests.") or not file.exists():
        return False
    calls = (node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
    return any(ast.unparse(called) == "django.setup" for called in calls)


def prepare() -> None:
    """In the server. A program calls ``django.setup()`` itself: it then finds the applications there."""
    from django.apps import apps
    from django.conf import settings

    with warnings.catch_warnings():  # which warnings are none is a matter of the settings
        installed = settings.INSTALLED_APPS
    apps.populate(installed)
    there = [name for name in BEHIND_TASKS if name.startswith(tuple(installed))]  # a feature may be left out
    for name in (*_commands(), *there):
        importlib.import_module(name)


def _commands() -> Iterator[str]:
    from django.apps import apps
    from django.core.management import find_commands

    for app in apps.get_app_configs():
        if app.name.startswith("dlqconsole."):
            for command in find_commands(os.path.join(app.path, "management")):
                if command not in LEFT:
                    yield f"{app.name}.management.commands.{command}"


def forget() -> None:
    """In the program, before it begins: no setting is known, no database, and no place to be killed at."""
    from django.conf import settings
    from django.db import connections
    from django.utils.functional import empty

    import dlqconsole
    from dlqconsole.processing import crash_points

    # Django's own setter forgets each value with it
    settings._wrapped = empty
    connections.__init__()
    vars(connections).pop("settings", None)
    del sys.modules[SETTINGS], dlqconsole.settings
    sys.modules.pop("tests.without_contrib", None)
    importlib.reload(crash_points)
