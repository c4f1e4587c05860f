"""Old runs of the pipeline's jobs: rows and the ends of their logs are deleted after half a year."""

from dlqconsole.core.named_sql import fetch_column
from dlqconsole.runs.sql import sql

# rows deleted in one commit: a few hundred runs a week are usual
PAGE = 1_000


def forget_old_runs(days: int) -> int:
    """Delete the runs that ended so many days ago; return their number. 0 days: delete nothing.

    The newest run of each job stays, and the newest that succeeded: they show when the job ran last.
    """
    return len(fetch_column(sql("old.forget"), {"days": days, "limit": PAGE}))
