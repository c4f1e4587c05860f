"""The program that runs our commands, for sentences: people copy them."""

import os

from dlqconsole.configuration import places

_OWN = "dlqconsole.settings"
# a checkout has a manage.py, and so has a Django project that has us as a guest
_IS_OURS = os.environ.get("DJANGO_SETTINGS_MODULE", _OWN) == _OWN
PROGRAM = "dlqconsole" if places.IS_INSTALLED and _IS_OURS else "manage.py"
