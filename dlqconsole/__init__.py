"""A console for dead letters."""

from collections.abc import Collection

__version__ = "0.1.0"


def apps(beside: Collection[str] = ()) -> list[str]:
    """The applications for a Django project: ``INSTALLED_APPS += dlqconsole.apps(INSTALLED_APPS)``.

    ``beside``: those that the project has already.
    """
    from dlqconsole.configuration import installed_apps  # imports stay light

    return [name for name in installed_apps.apps() if name not in beside]
