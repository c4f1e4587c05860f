"""``python -m tests.a_django_program`` says what it finds, before it has set up Django and after."""

import gc
import json
import logging
import os
import sys
import threading
import warnings
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connections
from django.urls import get_script_prefix

before = {"settings": settings.configured, "logging": len(logging.getLogger().handlers)}

import django  # noqa: E402

django.setup()

from django.core import checks  # noqa: E402 - Django first
from django.db.models import signals  # noqa: E402

from dlqconsole.processing import crash_points  # noqa: E402

maps = Path("/proc/self/maps").read_text().splitlines()
parameters = connections["default"].get_connection_params()
del parameters["context"]  # of psycopg, which is not to be printed
print(
    json.dumps(
        {
            "before": before,
            "settings": {
                name: repr(getattr(settings, name)) for name in sorted(dir(settings)) if name.isupper()
            },
            "databases": repr(connections.settings),
            "parameters": repr(parameters),
            "open": [connection.connection for connection in connections.all(initialized_only=True)],
            "environment": dict(os.environ),
            "arguments": [sys.argv, sys.orig_argv, sys.path],
            "applications": [app.name for app in apps.get_app_configs()],
            "models": sorted(model._meta.label for model in apps.get_models()),
            "checks": sorted(check.__qualname__ for check in checks.registry.registry.get_checks()),
            "listeners": [len(signals.post_migrate.receivers), len(signals.post_save.receivers)],
            "handlers": [repr(handler.formatter.__class__) for handler in logging.getLogger().handlers],
            "levels": {name: logging.getLogger(name).level for name in ("", "django", "django.request")},
            "warnings": sorted({repr(entry) for entry in warnings.filters}),
            "prefix": get_script_prefix(),
            "files": sorted(os.listdir("/proc/self/fd")),
            "shared": [line.split()[-1] for line in maps if line.split()[1].endswith("s")],
            "killed": [crash_points._NAME, crash_points._visits_to_go],
            "threads": threading.active_count(),
            "collects": gc.isenabled(),
            "prepared": "dlqconsole.operations.work.run" in sys.modules,
        }
    )
)
