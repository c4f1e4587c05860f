"""Reports the last tick of the schedule that a worker took."""

from collections.abc import Iterator

from dlqconsole.retries import beat_heartbeats

# A worker ticks every 15 seconds.
SILENT_SECONDS = 90.0


def check() -> Iterator[str]:
    tick = beat_heartbeats.last_tick()
    if tick is None:
        yield "last tick of the schedule: never"
        return
    late = ": no worker takes them" if tick[1] > SILENT_SECONDS else ""
    yield f"last tick of the schedule: {tick[1]:,.0f} s ago{late}"
