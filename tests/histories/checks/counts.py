"""Every count that a page shows is what is counted one by one."""

from collections import Counter

from dlqconsole.core.lifecycle.states import OPEN, GroupState
from dlqconsole.engine.counts import groups, rollups, summaries
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.queues import metrics
from tests.histories.snapshot import LetterRow, Snapshot
from tests.plain_sql import rows

# the phase and the status of a message, as the page of its queue calls them
STATES = {
    "pending": "visible",
    "processing": "in_flight",
    "scheduled": "scheduled",
    "waiting": "waiting",
    "held": "held",
}
# parts of the filter, and the columns that they are about
PARTS = (("queue", "queue"), ("category", "error_category"), ("type", "event_type"))


def check(now: Snapshot) -> None:
    """The overview and the list, the groups, the queues, the operations."""
    assert rollups.check() == []
    letters = list(now.letters.values())
    _list(letters)
    _groups(letters)
    _queues(now)
    _operations()


def _list(letters: list[LetterRow]) -> None:
    shown = summaries.status_counts(DeadLetterFilter())
    assert {status: count.value for status, count in shown.items() if count.value} == Counter(
        one.status for one in letters
    )
    part, column = PARTS[len(letters) % len(PARTS)]  # one a step, or it would be most of the time
    for value, number in Counter(getattr(one, column) for one in letters).items():
        assert summaries.count_matching(DeadLetterFilter(**{part: value})).value == number


def _groups(letters: list[LetterRow]) -> None:
    shown = groups.list_groups(list(GroupState), limit=1000)
    told = {row["id"]: (row["by_status"], row["occurrences"]) for row in shown if row["total"]}
    true: dict[int, tuple[Counter[str], int]] = {}
    for one in letters:
        by_status, occurrences = true.get(one.group_id, (Counter(), 0))
        by_status[one.status] += 1
        true[one.group_id] = (by_status, occurrences + one.occurrences)
    assert told == true


def _queues(now: Snapshot) -> None:
    standing = Counter((one.queue, STATES[one.status]) for one in now.messages.values())
    dead = Counter(one.queue for one in now.letters.values() if one.status in OPEN)
    names = sorted({queue for queue, _state in standing} | set(dead))
    for row in metrics.rows_of(names):
        assert row["dead_letters"] == dead[row["name"]]
        for state in STATES.values():
            assert row[state] == standing[row["name"], state], (row["name"], state)


def _operations() -> None:
    wrong = rows(
        "SELECT o.id, o.kind FROM operations o LEFT JOIN LATERAL ("
        " SELECT count(*) AS items, count(*) FILTER (WHERE status = 'done') AS done,"
        " count(*) FILTER (WHERE status = 'skipped') AS skipped,"
        " count(*) FILTER (WHERE status = 'failed') AS failed"
        " FROM (SELECT operation_id, status FROM operation_items"
        " UNION ALL SELECT operation_id, status FROM operation_messages) i"
        " WHERE i.operation_id = o.id) i ON true"
        " WHERE (o.selected, o.done, o.skipped, o.failed) <> (i.items, i.done, i.skipped, i.failed)"
    )
    assert wrong == []
