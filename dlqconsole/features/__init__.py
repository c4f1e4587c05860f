"""The features of contrib: each app declares in its ``feature.py`` where it plugs in.

A feature is present by its line in ``configuration/installed_apps.py``; nothing else names it. A declaration
is plain data: it names functions by their dotted paths, so that who reads it (Celery, Spark) imports no page
and no model.
"""

from dlqconsole.features.declaration import (
    ArgumentLookup,
    Card,
    Feature,
    FilterLink,
    Link,
    OtherPlace,
    Right,
    Tick,
)
from dlqconsole.features.installed import features

__all__ = [
    "ArgumentLookup",
    "Card",
    "Feature",
    "FilterLink",
    "Link",
    "OtherPlace",
    "Right",
    "Tick",
    "features",
]
