"""A relay that is killed when Kafka has the record, and PostgreSQL does not know it yet."""

import os
import signal

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dlqconsole.settings")
django.setup()

from dlqconsole.transports import relay  # noqa: E402
from dlqconsole.transports.kafka import target  # noqa: E402
from dlqconsole.transports.kafka.records import publish  # noqa: E402


def publish_and_die(*given):
    publish(*given)
    os.kill(os.getpid(), signal.SIGKILL)


target.publish = publish_and_die
relay.run_once()
