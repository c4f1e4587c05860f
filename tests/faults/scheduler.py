"""A worker of the schedule, its handlers in processes of their own: ``python -m tests.faults.scheduler``."""

import time

import django

if __name__ == "__main__":
    django.setup()
    from dlqconsole.core.handling import isolated
    from dlqconsole.retries import run

    with isolated():
        while True:
            run.run_when_due()
            time.sleep(0.02)
