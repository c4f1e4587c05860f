"""Import the user's modules by name and say in a sentence why one cannot be used."""

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from types import ModuleType

from .errors import SetupError


def names_in(setting: str) -> tuple[str, ...]:
    """Split a comma-separated list of module names, without blanks and repetitions."""
    return tuple(dict.fromkeys(name.strip() for name in setting.split(",") if name.strip()))


def import_named(setting: str, variable: str, error: type[SetupError]) -> list[ModuleType]:
    """Import every module named in the setting; raise `error` for the first that cannot be."""
    return [_import(name, variable, error) for name in names_in(setting)]


def missing_in(setting: str) -> list[str]:
    """The names in the list that no module has; found without importing them, but for their packages."""
    return [name for name in names_in(setting) if not _is_there(name)]


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
    except (Exception, SystemExit):  # its package breaks, or the name is none: importing it says how
        return name.isprintable() and all(part.isidentifier() for part in name.split("."))


def belongs_to(module: str, names: Iterable[str]) -> bool:
    """Tell whether a module is one of those named, or inside a package that is."""
    return any(module == name or module.startswith(f"{name}.") for name in names)


def _import(name: str, variable: str, error: type[SetupError]) -> ModuleType:
    before = set(sys.modules)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name and (name == missing.name or name.startswith(f"{missing.name}.")):
            raise error(f"{variable} names {name!r}, and there is no module of that name") from missing
        raise error(f"{variable}: {name!r} needs the module {missing.name!r}, not installed") from missing
    except (Exception, SystemExit) as problem:
        # Half-imported helpers must not pass for whole ones at the next attempt.
        for stray in [other for other in sys.modules if other not in before and belongs_to(other, (name,))]:
            del sys.modules[stray]
        raise error(f"{variable}: {_what_happened(name, problem)}") from problem


def _what_happened(name: str, problem: BaseException) -> str:
    error_text = f"{type(problem).__name__}: {problem}".removesuffix(": ")
    if isinstance(problem, SystemExit):  # a script, perhaps, that was never meant to be imported
        return f"{name!r} ended the program while it was imported ({error_text})"
    return f"importing {name!r} failed: {error_text}"
