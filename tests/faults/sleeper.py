"""A consumer that polls so seldom that a missed wake-up shows: ``python -m tests.faults.sleeper SECONDS``."""

import sys

import django


def main(poll_seconds: float) -> None:
    """Consume the queue ``race`` until killed."""
    from dlqconsole.consuming.consumer import Consumer

    consumer = Consumer(["race"], batch=10)
    consumer._wakeups.poll_seconds = poll_seconds
    print("ready", flush=True)
    consumer.run()


if __name__ == "__main__":
    django.setup()
    main(float(sys.argv[1]))
