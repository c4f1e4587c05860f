"""The holder of a lock as a process of its own, to be stopped and killed: it is "ready" once it has it.

HELD_LOCK names the lock. Says "lost" when it is held no more, and goes on.
"""

import os
import time

import django

django.setup()

from dlqconsole.engine.database.locks import HeldLock  # noqa: E402  (Django first)

with HeldLock(os.environ["HELD_LOCK"], at_most=float(os.environ.get("HELD_AT_MOST", "30"))) as lock:
    print("ready", flush=True)
    while lock.is_held:
        time.sleep(0.02)
    print("lost", flush=True)
    time.sleep(60)
