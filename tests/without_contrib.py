"""The settings without any feature of contrib: DJANGO_SETTINGS_MODULE=tests.without_contrib.

Nobody imports it otherwise: it takes the features from the whole process.
"""

from dlqconsole.configuration import installed_apps

# also for who reads it without Django
installed_apps.FEATURES.clear()

from dlqconsole.settings import *  # noqa: E402, F403
