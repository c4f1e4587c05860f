"""The rendering of the console's pages: by an engine of its own, in everybody's project.

So nobody can forget the gate, no template of ours stands in for one of the project's, nor the other way.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dlqconsole.configuration import places
from dlqconsole.configuration.installed_apps import FEATURES

_FILES = "django.template.loaders.filesystem.Loader"
_OF_APPS = "django.template.loaders.app_directories.Loader"


def engine_settings(*, of_apps: bool = False) -> dict[str, Any]:
    """An entry of TEMPLATES. ``of_apps``: with the templates of other applications, such as the admin's."""
    return {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": _folders(),
        "OPTIONS": {
            # the gate: what a template writes out is masked, and masked before it is cut
            "loaders": [
                ("dlqconsole.console.templatetags.gated.Loader", [_FILES, *([_OF_APPS] if of_apps else [])])
            ],
            "builtins": ["dlqconsole.console.templatetags.gated"],
            "libraries": {
                "console_tags": "dlqconsole.console.templatetags.console_tags",
                "humanize": "django.contrib.humanize.templatetags.humanize",
                "static": "django.templatetags.static",
            },
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dlqconsole.console.access.permissions.role_context",
            ],
        },
    }


def _folders() -> list[Path]:
    """Ours, those of the features, and Django's for the inputs of forms."""
    packages = [*FEATURES, "django.forms"]
    return [places.TEMPLATES, *(Path(_file(name)).parent / "templates" for name in packages)]


def _file(package: str) -> str:
    spec = find_spec(package)
    return spec.origin or "" if spec else ""
