"""The settings without any feature of contrib: DJANGO_SETTINGS_MODULE=tests.without_contrib.

Nobody imports it otherwise: it takes the features from the whole process.
"""

from dlqconsole.configuration import installed_apps

# also for who reads it without Django
_CORE = [app for app in installed_apps.INSTALLED_APPS if not app.startswith("dlqconsole.contrib.")]
installed_apps.INSTALLED_APPS[:] = _CORE

from dlqconsole.settings import *  # noqa: E402, F403
