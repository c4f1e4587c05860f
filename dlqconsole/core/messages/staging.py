"""Messages for later: kept out of the claim's way until they are due."""

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.core.sql import sql

PAGE = 1000
PAGES = 20


def stage() -> int:
    """Make due messages claimable. Return their number (20,000 at most, by the thousand)."""
    total = 0
    for _ in range(PAGES):
        page = len(fetch_column(sql("messages.stage"), {}))
        total += page
        if page < PAGE:
            break
    return total


def seconds_until_due() -> float | None:
    """Return the seconds until the next scheduled message of any queue is due; None without one."""
    seconds: float | None = fetch_column(sql("messages.next_due"), {})[0]
    return seconds
