"""Features that listen to successes, and the one that keeps inputs of them."""

from typing import Any

from dlqconsole.core.successes import SuccessListener
from dlqconsole.features.installed import features, named


def success_listeners(settings: Any) -> tuple[SuccessListener, ...]:
    """Make the listeners of this installation. ``settings``: Django's, or the pipeline's environment."""
    return tuple(named(path)(settings) for feature in features() if (path := feature.success_listener))


def successful_inputs() -> Any:
    """Return the query set of inputs that a feature has kept; None: no feature does."""
    paths = (feature.successful_inputs for feature in features() if feature.successful_inputs)
    path = next(paths, "")
    return named(path)() if path else None
