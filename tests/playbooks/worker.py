"""A worker's tick as a process of its own, for tests that kill it: `python -m tests.playbooks.worker`."""

import django

django.setup()

from dlqconsole.playbooks import tick  # noqa: E402  (Django first)

print("ready", flush=True)
tick.tick()
