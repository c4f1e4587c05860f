"""Reports the age of the oldest running retry."""

from collections.abc import Iterator

from dlqconsole.core import handling
from dlqconsole.core.dead_letters.claims import oldest_attempt_seconds

# A dead worker's claim is given up by a task that runs every 15 seconds.
SILENT_SECONDS = 90.0


def check() -> Iterator[str]:
    seconds = oldest_attempt_seconds()
    if seconds is None:
        yield "oldest running retry: none"
        return
    late = ": longer than it may" if seconds > handling.longest_seconds() + SILENT_SECONDS else ""
    yield f"oldest running retry: {seconds:,.0f} s{late}"
