"""Runs every check of ``checks``, and those of the features."""

import logging
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from django.db import Error
from django.utils.module_loading import import_string

from dlqconsole.console.monitoring import checks
from dlqconsole.console.monitoring.not_ready import NotReady
from dlqconsole.features import features

log = logging.getLogger(__name__)
Check = Callable[[], Iterable[str]]


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """A sentence for strangers. ``is_ready``: the console works nevertheless."""

    text: str
    is_ready: bool = True


def findings() -> Iterator[HealthFinding]:
    """The sentences of all checks, in the order of their names; a failing check stops no other."""
    for name, check in _checks().items():
        try:
            yield from [HealthFinding(text) for text in check()]
        except NotReady as problem:
            yield HealthFinding(str(problem), is_ready=False)
        except (Error, OSError) as error:
            log.warning("the check %s failed: %s", name, error)
            yield HealthFinding(f"the check {name} could not be made")


@cache
def _checks() -> dict[str, Check]:
    names = [module.name for module in pkgutil.iter_modules(checks.__path__)]
    own = {name: import_module(f"{checks.__name__}.{name}").check for name in names}
    brought = {feature.name: import_string(feature.health) for feature in features() if feature.health}
    return dict(sorted((own | brought).items()))
