"""The features of this installation."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dlqconsole.configuration.installed_apps import INSTALLED_APPS
from dlqconsole.features.declaration import Feature

_CONTRIB = "dlqconsole.contrib."


@cache
def features() -> tuple[Feature, ...]:
    """Those in INSTALLED_APPS, in its order."""
    names = [app for app in INSTALLED_APPS if app.startswith(_CONTRIB)]
    return tuple(import_module(f"{name}.feature").FEATURE for name in names if find_spec(f"{name}.feature"))


def named(path: str) -> Any:
    """Return what a dotted path names."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)
