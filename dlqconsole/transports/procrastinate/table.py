"""procrastinate's jobs. It notes when a job failed and how often it ran, and keeps no exception."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.jobs.table import JobTable


class Procrastinate(JobTable):
    """``procrastinate_jobs`` and ``procrastinate_events``; retried by ``procrastinate_retry_job_v2``."""

    prefix = "procrastinate"
    label = "procrastinate"
    not_claimed = "procrastinate's own workers run its jobs."
    tables = {"jobs": "procrastinate_jobs", "log": "procrastinate_events"}
    function = ("procrastinate_retry_job_v2", "procrastinate 3.4 or later")
    done = frozenset({"succeeded"})
    over = frozenset({"cancelled", "aborted"})
    # its workers may be told to delete what succeeded
    leaves_when_done = True
    taken = "a job with the same queueing lock waits there already"

    def failure(self, row: Mapping[str, Any]) -> Failed:
        """Return that it failed: more is only in its worker's log."""
        return Failed(
            "JobFailed: procrastinate keeps no exception; the log of its worker has it",
            UNKNOWN,
            "JobFailed",
            "",
        )

    def content(self, row: Mapping[str, Any]) -> tuple[str | None, bytes | None]:
        """Return the job's arguments."""
        return row["payload"], None
