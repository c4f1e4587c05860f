"""The archive of completed messages, each kept until its own time; and attempts that are kept for a while."""

from datetime import UTC, datetime

from dlqconsole.core.host import host
from dlqconsole.core.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.core.sql import sql
from dlqconsole.core.transient_errors import is_denied

DAYS_AHEAD = 7
PAGE = 5_000
# The most pages and partitions of one call: the next call, or another consumer, does the rest.
PAGES = 20
PARTITIONS = 50


def keep() -> None:
    """Delete outlived messages, drop partitions whose day is over, make the coming ones.

    Each step is a commit of its own, and counted in the audit log. Raises the database's error where the
    account may not call what makes and drops them; what is deleted by the row has gone by then.
    """
    delete_outlived()
    drop_outlived()
    prepare()


def prepare(days_ahead: int = DAYS_AHEAD) -> int:
    """Make the partitions that each queue's policy asks for. Return their number."""
    return _repeat("SELECT message_archive_prepare(%(days)s)", {"days": days_ahead})


def prepare_soon() -> None:
    """Have partitions ready for a policy that has just changed, where the account may make them.

    Without them messages stand in the default partition until a consumer's chores come to them.
    """
    try:
        with host().atomic():
            prepare(1)
    except host().error as error:
        if not is_denied(error):
            raise


def drop_outlived() -> int:
    """Drop the partitions in which every message has outlived its time. Return their number."""
    return _repeat("SELECT message_archive_drop()", {})


def delete_outlived() -> int:
    """Delete outlived messages that have no partition of their day. Return their number."""
    total = 0
    for _ in range(PAGES):
        [page] = fetch_column(sql("archives.delete_outlived"), {"limit": PAGE})
        total += page
        if page < PAGE:
            break
    return total


def _repeat(step: str, values: dict[str, int]) -> int:
    """Run a step, one partition a transaction: nobody waits longer than for one."""
    for count in range(PARTITIONS):
        if fetch_column(step, values) == [None]:
            return count
    return PARTITIONS


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
