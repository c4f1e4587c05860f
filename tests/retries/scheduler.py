"""A scheduler as a process of its own, for tests that kill it: `python -m tests.retries.scheduler`."""

import time

import django

django.setup()

from dlqconsole.retries import run  # noqa: E402  (Django first)

print("ready", flush=True)
while True:
    run.run_when_due()
    time.sleep(0.05)
