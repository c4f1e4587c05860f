"""The settings without any feature of contrib: DJANGO_SETTINGS_MODULE=tests.without_contrib."""

from dlqconsole.settings import *  # noqa: F403
from dlqconsole.settings import INSTALLED_APPS as _ALL

INSTALLED_APPS = [app for app in _ALL if not app.startswith("dlqconsole.contrib.")]
