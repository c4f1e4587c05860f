"""The relay's steps for a table of jobs: adopt what failed there, retry it there, see what becomes of it.

Over there we only read, and retry: a dead letter is written here, and nothing is taken away. So both may be
in one database or in two. A retry is done there first, and a relay that dies before it is noted here finds a
job that has failed no more: it is followed, not retried once more.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.hosting.database import transaction
from dlqconsole.transports.jobs.letters import LogPlace, adopt, close
from dlqconsole.transports.jobs.table import Jobs, JobTable, NotRetried
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.relay.steps import hold, lose, make_due, refuse
from dlqconsole.transports.sql import sql

log = logging.getLogger(__name__)

# A page travels through this process, so it is bounded by its size, too.
PAGE, PAGE_BYTES, SCAN = 500, 8 * 1024 * 1024, 2_000
# pages of a log without a failure, before others have their turn
SCANS = 50


class JobSteps:
    """The three steps for the queues of one system of jobs."""

    def __init__(self, table: JobTable) -> None:
        self._table = table

    def forward(self, queue: AttachedQueue, limit: int) -> int:
        """Let the jobs of revived dead letters run again. Return how many messages left our queue."""
        with transaction.atomic():
            if hold(queue):
                return 0
            make_due(queue, limit)
            rows = fetch_dicts(sql("jobs.due"), {"name": queue.name, "limit": min(limit, PAGE)})
            if not rows:
                return 0
            with self._table.open(queue.remote_name) as jobs:
                refusals = self._retry(jobs, rows)
            _note(queue, [row for row in rows if row["id"] not in refusals])
            refuse(queue, [(row, refusals[row["id"]]) for row in rows if row["id"] in refusals])
            return len(rows)

    def dead_letter_exhausted(self, queue: AttachedQueue, limit: int) -> int:
        """Write dead letters of failed jobs, and close those of jobs that succeeded after all. Count both."""
        # before our own transaction, which would be one of those that may still write
        mark = self._mark(queue)
        for _ in range(SCANS):
            with transaction.atomic():
                hold(queue)
                place = LogPlace.lock(queue.name, mark, lambda: self._mark(queue))
                if place.read >= place.up_to:
                    return 0
                if count := self._read(queue, place, min(limit, PAGE)):
                    return count
        return 0

    def watch(self, queue: AttachedQueue, limit: int) -> int:
        """Mark REVIVED dead letters SUCCEEDED when their job has, and return those whose job will not run."""
        after = count = 0
        while page := fetch_dicts(sql("relay.watched"), {"name": queue.name, "limit": limit, "after": after}):
            with self._table.open(queue.remote_name) as jobs:
                states = jobs.states([int(row["remote_id"]) for row in page])
            count += self._settle(queue, [(row["id"], states.get(int(row["remote_id"]))) for row in page])
            after = page[-1]["id"]
        return count

    def _mark(self, queue: AttachedQueue) -> dict[str, Any]:
        with self._table.open(queue.remote_name) as jobs:
            return jobs.mark()

    def _retry(self, jobs: Jobs, rows: Sequence[Mapping[str, Any]]) -> dict[int, str]:
        """Retry what has failed over there. Return why others are not followed, by our messages' numbers."""
        numbers = [row["job"] for row in rows if row["job"] is not None]
        failed, states = jobs.lock(numbers), jobs.states(numbers)
        refusals = {}
        with jobs.on_their_path():
            for row in rows:
                try:
                    self._retry_one(jobs, row, failed.get(row["job"]), states.get(row["job"]))
                except NotRetried as error:
                    refusals[row["id"]] = str(error)
        return refusals

    def _retry_one(
        self, jobs: Jobs, row: Mapping[str, Any], job: Mapping[str, Any] | None, state: str | None
    ) -> None:
        number, label = row["job"], self._table.label
        if number is None:
            raise NotRetried(f"it is no job that failed there; {label}'s own clients make new ones")
        if job is None and (state is None or state in self._table.over):
            raise NotRetried(f"job {number} {_gone(state)} there")
        if job is None and state == "failed":
            raise NotRetried(f"job {number} is on another queue there")
        if job is None:
            log.warning("job %s of %s is %s there already: it is followed", number, label, state)
        elif not _same(row, self._table.content(job)):
            raise NotRetried(
                f"its payload is not the job's, and {label} runs a job with what it was made with. Make"
                " another job there, and discard this dead letter"
            )
        else:
            jobs.retry(number)

    def _read(self, queue: AttachedQueue, place: LogPlace, limit: int) -> int:
        values = {"after": place.read, "up_to": place.up_to, "scan": SCAN}
        with self._table.open(queue.remote_name) as jobs:
            rows = jobs.failed(**values, limit=limit, bytes=PAGE_BYTES)
        place.move(rows[0]["read_to"])
        recovered = close(self._table, queue.name, rows[0]["succeeded"] or ())
        return recovered + adopt(self._table, queue.name, [row for row in rows if row["id"] is not None])

    def _settle(self, queue: AttachedQueue, states: Sequence[tuple[int, str | None]]) -> int:
        table = self._table
        done = [number for number, state in states if state in table.done]
        if table.leaves_when_done:
            done += [number for number, state in states if state is None]
        with transaction.atomic():
            if done:
                who = f"workers of {table.label}"
                fetch_column(sql("relay.completed"), {"ids": done, "who": who})
            over = table.over if table.leaves_when_done else {*table.over, None}
            for state in over:
                if ids := [number for number, its in states if its == state]:
                    done += ids
                    lose(ids, f"the job {_gone(state)} there")
        return len(done)


def _gone(state: str | None) -> str:
    return "is no more" if state is None else f"is {state}"


def _note(queue: AttachedQueue, rows: Sequence[Mapping[str, Any]]) -> None:
    values = {
        "name": queue.name,
        "dlq_event_ids": [row["dlq_event_id"] for row in rows],
        "revive_seqs": [row["revive_seq"] for row in rows],
        "remote_ids": [str(row["job"]) for row in rows],
        "watched": [True for _ in rows],
    }
    fetch_column(sql("relay.note"), values)
    fetch_column(sql("relay.leave"), {"ids": [row["id"] for row in rows]})


def _same(row: Mapping[str, Any], content: tuple[str | None, bytes | None]) -> bool:
    """Tell whether a message brings what the job does. jsonb may write a number in another way."""
    payload, raw = content
    if payload is None or row["payload"] is None:
        return row["payload"] is None and raw == bytes(row["payload_raw"] or b"")
    return bool(_value(row["payload"]) == _value(payload))


def _value(text: str) -> Any:
    return json.loads(text, parse_int=Decimal, parse_float=Decimal)
