"""The web application that gunicorn serves."""

import os
import sys

from django.core.wsgi import get_wsgi_application

# gunicorn's word for "no worker will ever start": after any other status it tries again, for ever
WORKER_BOOT_ERROR = 3

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dlqconsole.settings")
try:
    application = get_wsgi_application()
except SystemExit as stop:
    # the settings cannot be used; gunicorn.conf.py sees it first, where gunicorn has found that file
    print(stop.code, file=sys.stderr)
    sys.exit(WORKER_BOOT_ERROR)

# Django is set up by now
from django.urls import get_resolver  # noqa: E402

from dlqconsole.engine.grants.excess import warn_once_connected  # noqa: E402

warn_once_connected()
# all pages, now and not while somebody waits for one; and once for all processes where they are forks of this
get_resolver().url_patterns  # noqa: B018
