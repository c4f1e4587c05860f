"""Failed attempts of messages that succeeded in the end: kept for a while, then deleted."""

from datetime import UTC, datetime

from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.core.sql import sql

PAGE = 5_000
# The most pages of one call: the next one goes on with the rest.
PAGES = 20


def forget_old_attempts(days: int) -> int:
    """Delete old attempts that belong to no dead letter and no message. Return their number.

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


def forget_old_reports(days: int) -> int:
    """Delete the ids of reports of failures that nobody sends again. Return their number."""
    return execute(sql("old_attempts.forget_reports"), {"days": days})
