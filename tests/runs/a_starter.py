"""A worker of the queue ``pipeline``, without Celery: starts what waits until it is killed."""

import time

import django

django.setup()

from dlqconsole.runs import starting  # noqa: E402 - it needs the settings first

print("ready", flush=True)
while True:
    starting.look()
    starting.start_waiting()
    time.sleep(0.2)
