"""The features of contrib: each app declares in its ``feature.py`` where it plugs in.

A feature is present by its line in ``INSTALLED_APPS``; nothing else names it. A declaration is plain data: it
names functions by their dotted paths, so that who reads it (Celery, for one) imports no page and no model.
"""

from dlqconsole.features.declaration import Card, Feature, FilterLink, Link, Lookup, Tick
from dlqconsole.features.installed import features

__all__ = ["Card", "Feature", "FilterLink", "Link", "Lookup", "Tick", "features"]
