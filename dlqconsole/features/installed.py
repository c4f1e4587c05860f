"""The features of this installation."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from django.conf import settings

from dlqconsole.features.declaration import Feature

_CONTRIB = "dlqconsole.contrib."


@cache
def features() -> tuple[Feature, ...]:
    """Those in INSTALLED_APPS, in its order."""
    names = [app for app in settings.INSTALLED_APPS if app.startswith(_CONTRIB)]
    return tuple(import_module(f"{name}.feature").FEATURE for name in names if find_spec(f"{name}.feature"))
