"""Failed tries of messages that succeeded in the end: kept for a while, then let go of."""

from datetime import UTC, datetime

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.engine.sql import sql

PAGE = 5_000
# What one call looks at, at most: the next one goes on with what is left.
PAGES = 20


def forget_old_attempts(days: int) -> int:
    """Delete what is older and belongs neither to a dead letter nor to a message; how many went.

    A page a commit.
    """
    forgotten = 0
    place: dict[str, object] = {"finished_at": datetime(1970, 1, 1, tzinfo=UTC), "id": 0}
    for _ in range(PAGES):
        page = fetch_dicts(sql("old_attempts.forget"), {"days": days, "limit": PAGE, **place})
        if not page:
            break
        forgotten += page[0].pop("forgotten")
        place = page[0]
    return forgotten
