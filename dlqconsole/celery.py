"""The Celery application. It carries wake-ups only: what there is to do stands in PostgreSQL.

Every tick below asks the database what is due, so a lost message, a flushed broker or a second
beat costs at most one interval and never an event.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dlqconsole.settings")

app = Celery("dlqconsole")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def look_at_rights(**_signal: Any) -> None:
    """Log it where the worker's database account may do more than it needs."""
    from dlqconsole.engine.grants.excess import warn_once_connected

    warn_once_connected()


@worker_init.connect
def isolate_handlers(**_signal: Any) -> None:
    """Each process of the worker's pool, a fork of this one, runs its handlers in a process of theirs."""
    from dlqconsole.engine import handling

    handling.isolate()


# Task names are text, so that this file imports no room of the house.
app.conf.beat_schedule = {
    "retry due dead letters": {"task": "retries.retry_due", "schedule": 15.0, "options": {"expires": 15}},
    "take up waiting operations": {"task": "operations.take_up", "schedule": 5.0, "options": {"expires": 5}},
    "look at what may be searched": {"task": "operations.look", "schedule": 5.0, "options": {"expires": 5}},
    "look at the playbooks": {"task": "playbooks.tick", "schedule": 5.0, "options": {"expires": 5}},
    "keep no longer than asked": {"task": "operations.tidy", "schedule": 600.0, "options": {"expires": 600}},
    "seal the audit log": {
        "task": "operations.seal_audit_log",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "verify the audit log": {
        "task": "operations.verify_audit_log",
        "schedule": 86_400.0,
        "options": {"expires": 86_400},
    },
    "settle what lost its message": {
        "task": "transports.settle_lost",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "serve attached queues": {"task": "transports.relay", "schedule": 5.0, "options": {"expires": 5}},
}
