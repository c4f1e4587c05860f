"""A worker's tick as a process of its own, for tests that kill it."""

import django

django.setup()

from dlqconsole.contrib.playbooks import tick  # noqa: E402  (Django first)

print("ready", flush=True)
tick.tick()
