"""pgqueuer's jobs that it holds as failed. Its log has the exception; a deleted job leaves no payload."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.core.settings import limits
from dlqconsole.processing.categories import UNKNOWN
from dlqconsole.processing.headers import read_headers
from dlqconsole.processing.outcomes import REASON_LIMIT, Failed
from dlqconsole.processing.payloads import decode
from dlqconsole.processing.texts import one_line, sanitise_text
from dlqconsole.transports.jobs.table import JobTable


class Pgqueuer(JobTable):
    """``pgqueuer`` and ``pgqueuer_log``; an entrypoint is a queue."""

    prefix = "pgqueuer"
    label = "pgqueuer"
    not_claimed = "pgqueuer's own workers run its jobs."
    tables = {"jobs": "pgqueuer", "log": "pgqueuer_log"}
    done = frozenset({"successful"})
    over = frozenset({"canceled", "deleted", "exception"})
    # its log says of every job how it ended
    leaves_when_done = False
    taken = "a job with the same dedupe key waits there already"

    def failure(self, row: Mapping[str, Any]) -> Failed:
        """Return the exception of the log."""
        error = read_headers(row["error"] or "{}")
        name = str(error.get("exception_type") or "JobFailed")
        message = str(error.get("exception_message") or "pgqueuer's log has no exception of it")
        return Failed(
            one_line(f"{name}: {message}", REASON_LIMIT),
            UNKNOWN,
            name,
            sanitise_text(str(error.get("traceback") or "")),
        )

    def content(self, row: Mapping[str, Any]) -> tuple[str | None, bytes | None]:
        """Return the job's payload."""
        raw = bytes(row["raw"] or b"")
        content = decode(raw, limits())
        return (content.json_text, None) if content.state == "ok" else (None, raw)
