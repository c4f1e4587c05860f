"""A worker as a process of its own, for tests that kill it: `python -m tests.operations.worker`."""

import time

import django

django.setup()

from dlqconsole.operations.work import run  # noqa: E402  (Django first)

print("ready", flush=True)
while True:
    run.take_up(5)
    time.sleep(0.05)
