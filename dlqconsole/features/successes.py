"""Features that keep something of successes, and the one that keeps their inputs."""

from typing import Any

from dlqconsole.core.successes import Keeper
from dlqconsole.features.installed import features, named


def success_keepers(settings: Any) -> tuple[Keeper, ...]:
    """Make the keepers of this installation. ``settings``: Django's, or the pipeline's environment."""
    return tuple(named(path)(settings) for feature in features() if (path := feature.success_keeper))


def successful_inputs() -> Any:
    """Return the query set of inputs that a feature has kept; None: no feature does."""
    paths = (feature.successful_inputs for feature in features() if feature.successful_inputs)
    path = next(paths, "")
    return named(path)() if path else None
