"""Old runs of the pipeline's jobs: their rows, with the ends of their logs, go after a while."""

from dlqconsole.engine.named_sql import fetch_column
from dlqconsole.runs.sql import sql

# rows that go in one commit: a few hundred a week come
PAGE = 1_000


def forget_old_runs(days: int) -> int:
    """Delete what ended so many days ago; how many went.

    The newest of each job stays, and the newest that succeeded: when it ran last is asked of them.
    """
    return len(fetch_column(sql("old.forget"), {"days": days, "limit": PAGE}))
