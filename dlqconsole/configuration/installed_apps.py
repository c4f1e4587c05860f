"""The applications of Django. The features of ``contrib`` among them Spark knows, too, without Django."""

INSTALLED_APPS = [
    "dlqconsole.tables",
    "dlqconsole.engine",
    "dlqconsole.people",
    "dlqconsole.transports",
    "dlqconsole.consuming",
    "dlqconsole.retries",
    "dlqconsole.runs",
    "dlqconsole.operations",
    "dlqconsole.contrib.playbooks",
    "dlqconsole.contrib.insight",
    "dlqconsole.contrib.rehearsals",
    "dlqconsole.contrib.sealing",
    "dlqconsole.contrib.archive",
    "dlqconsole.reports",
    "dlqconsole.console",
    "django_htmx",
    "dlqconsole.console.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.forms",  # its widgets' templates, for forms that render with ours
]
