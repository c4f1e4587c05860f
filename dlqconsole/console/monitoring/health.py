"""Asks every file of ``checks`` what it has to say."""

import logging
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from django.db import Error

from dlqconsole.console.monitoring import checks
from dlqconsole.console.monitoring.not_ready import NotReady

log = logging.getLogger(__name__)
Check = Callable[[], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence for strangers. ``is_ready``: the console can do its work nevertheless."""

    text: str
    is_ready: bool = True


def findings() -> Iterator[Finding]:
    """What all checks say, in the order of their names; a check that fails takes no other with it."""
    for name, check in _checks().items():
        try:
            yield from [Finding(text) for text in check()]
        except NotReady as problem:
            yield Finding(str(problem), is_ready=False)
        except (Error, OSError) as error:
            log.warning("the check %s failed: %s", name, error)
            yield Finding(f"the check {name} could not be made")


@cache
def _checks() -> dict[str, Check]:
    names = sorted(found.name for found in pkgutil.iter_modules(checks.__path__))
    return {name: import_module(f"{checks.__name__}.{name}").check for name in names}
