"""The settings of the features: the class in ``contrib/<feature>/settings.py``.

They are known whether a feature is installed or not: its secrets are kept from the same processes.
"""

from importlib import import_module
from inspect import getmembers, isclass
from pathlib import Path

from pydantic import BaseModel

_CONTRIB = "dlqconsole.contrib"
_FOLDER = Path(__file__).parents[1] / "contrib"


def feature_settings() -> list[type[BaseModel]]:
    """The classes, in the order of the features' names."""
    modules = [f"{_CONTRIB}.{file.parent.name}.settings" for file in sorted(_FOLDER.glob("*/settings.py"))]
    return [_settings_of(module) for module in modules]


def _settings_of(module: str) -> type[BaseModel]:
    members = getmembers(import_module(module), isclass)
    return next(each for _, each in members if each.__module__ == module)
