"""The applications of Django. The features of ``contrib`` among them Spark knows, too, without Django."""

FEATURES = [
    "dlqconsole.contrib.playbooks",
    "dlqconsole.contrib.insight",
    "dlqconsole.contrib.rehearsals",
    "dlqconsole.contrib.sealing",
    "dlqconsole.contrib.archive",
    "dlqconsole.contrib.effects",
    "dlqconsole.contrib.mail",
    "dlqconsole.contrib.api",
]
_BELOW = [
    "dlqconsole.tables",
    "dlqconsole.engine",
    "dlqconsole.people",
    "dlqconsole.transports",
    "dlqconsole.consuming",
    "dlqconsole.retries",
    "dlqconsole.runs",
    "dlqconsole.operations",
]
_ABOVE = ["dlqconsole.reports", "dlqconsole.console", "dlqconsole.running", "django.contrib.postgres"]


def apps() -> list[str]:
    """The console's, for everybody's project, and what of Django's a new project has not."""
    return [*_BELOW, *FEATURES, *_ABOVE]
