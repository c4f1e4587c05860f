"""The features of this installation."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dlqconsole.configuration.installed_apps import FEATURES
from dlqconsole.features.declaration import Feature


@cache
def features() -> tuple[Feature, ...]:
    """Those in FEATURES, in its order."""
    return tuple(
        import_module(f"{name}.feature").FEATURE for name in FEATURES if find_spec(f"{name}.feature")
    )


def named(path: str) -> Any:
    """Return what a dotted path names."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)
