"""The numbers of dead letters, exact and cheap at any size.

Triggers add what each statement changed to ``dead_letter_deltas``; ``fold`` moves that into
``dead_letter_counts`` and ``dead_letter_hours``. A figure is the sum of both, read in one statement: it is
exact in every snapshot, whether somebody folds or not.

Totals are kept by queue and event type, so that they are exact for every scope. Hours are kept by group:
those of a group that lies within the scope as a whole are taken from there; of one that lies there in part
the dead letters are counted one by one, by the group's index.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.core.named_sql import execute, fetch_column, fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.language.tree import All, AnyOf, Not, Term, Tree, terms
from dlqconsole.engine.dead_letters.searching import Meaning
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import connection, transaction

FOLDED_AT_ONCE = 50_000
# a reader that finds so many folds them first: adding them up again and again costs more
MANY = 20_000
_COLUMNS = {
    "type": "event_type",
    "category": "error_category",
    "status": "status",
    "queue": "queue",
    "group": "group_id",
}
# the same of a dead letter d
_ROWS = {name: f"d.{column}" for name, column in _COLUMNS.items()} | {
    "queue": "coalesce(d.queue, d.event_type)"
}

type Row = dict[str, Any]


def covers(matching: DeadLetterFilter) -> bool:
    """Tell whether a filter names only parts that are counted: type, category, status, queue, group."""
    return all(term.key in _COLUMNS for term in terms(matching.tree))


def covers_beside(matching: DeadLetterFilter) -> bool:
    """Tell whether a filter names only counted parts beside the texts that are searched."""
    rest = [term.key for tree in matching.rest for term in terms(tree)]
    return not ({*matching.other_parts, *rest} - _COLUMNS.keys() or matching.payload)


def by_status(matching: DeadLetterFilter, meaning: Meaning | None = None) -> dict[str, int]:
    """Count the dead letters of a covered filter by status.

    ``meaning``: of these those that one of its groups or event types says.
    """
    return {row["status"]: row["letters"] for row in _of(matching, "by_status", meaning)}


def by_handling(
    matching: DeadLetterFilter, handlers: HandlerSet | None, meaning: Meaning | None = None
) -> list[Row]:
    """Count also how many of them nobody handles, nobody rehearses, and keep ``coming`` back."""
    types = {
        "handled": None if handlers is None else sorted(handlers.event_types),
        "rehearsable": None if handlers is None else sorted(handlers.rehearsable),
    }
    return _of(matching, "by_handling", meaning, **types, **retry_limits.come_back_values())


def unhandled_types(
    matching: DeadLetterFilter, event_types: Collection[str], statuses: Iterable[str], limit: int
) -> dict[str, int]:
    """Count the dead letters in these states of each other event type, most first."""
    values = {"event_types": sorted(event_types), "statuses": [*map(str, statuses)], "limit": limit}
    rows = _of(matching, "unhandled_types", None, **values)
    return {row["event_type"]: row["letters"] for row in rows}


def by_group(matching: DeadLetterFilter, limit: int) -> list[Row]:
    """Count the dead letters of a covered filter by failure group, most first: ``id``, ``matching``."""
    return _of(matching, "by_group", limit=limit)


def _of(
    matching: DeadLetterFilter, query: str, meaning: Meaning | None = None, **values: object
) -> list[Row]:
    """Run a query over a covered filter, by its counts or by its rows."""
    access = current_access()
    parts = {name: getattr(matching, name) for name in _COLUMNS}
    filter_values = {name: value for name, value in parts.items() if value not in ("", None)}
    count_conditions = [f"{_COLUMNS[name]} = %({name})s" for name in filter_values]
    rows = [f"{_ROWS[name]} = %({name})s" for name in filter_values]
    for tree in matching.rest:
        count_conditions.append(_condition_of(tree, _COLUMNS, filter_values))
        rows.append(_condition_of(tree, _ROWS, filter_values))
    if access.is_limited:
        count_conditions.append(access.columns("queue", "event_type"))
        rows.append(access.letters("d"))
    if meaning is not None:
        count_conditions.append(sql("rollups.named").format(row=""))
        rows.append(sql("rollups.named").format(row="d."))
        values |= {"meant_groups": list(meaning.groups), "meant_types": list(meaning.types)}
    text = sql(f"rollups.{query}").format(
        condition=" AND ".join(count_conditions) or "true", coming=" AND ".join(rows) or "true"
    )
    return fetch_dicts(text, filter_values | access.values() | values)


def _condition_of(tree: Tree, columns: Mapping[str, str], values: dict[str, Any]) -> str:
    """Return the condition of a tree on columns that are never NULL, and add its parameters."""
    match tree:
        case Not(part):
            return f"NOT {_condition_of(part, columns, values)}"
        case All(parts) | AnyOf(parts):
            word = " AND " if isinstance(tree, All) else " OR "
            return f"({word.join(_condition_of(each, columns, values) for each in parts)})"
        case Term(key, texts):
            conditions = []
            for value in texts:
                name = f"of_rest_{len(values)}"
                values[name] = value.like() if value.is_pattern else value.text
                if key == "group":
                    values[name] = int(value.text)
                conditions.append(f"{columns[key]} {'LIKE' if value.is_pattern else '='} %({name})s")
            return f"({' OR '.join(conditions)})"


def by_queue(statuses: Iterable[str]) -> dict[str, int]:
    """Count the dead letters of these statuses on each queue."""
    rows = fetch_dicts(sql("rollups.by_queue"), {"statuses": [str(status) for status in statuses]})
    return {row["name"]: row["letters"] for row in rows}


def revival_outcome(operation_id: int) -> tuple[int, int]:
    """Count an operation's revived dead letters: those that succeeded, and all others."""
    [row] = fetch_dicts(sql("rollups.revival_outcome"), {"operation_id": operation_id})
    return row["succeeded"], row["failed"]


def fold(limit: int = FOLDED_AT_ONCE) -> int:
    """Move at most so many changes into the tables. Return their number; 0 where another session folds."""
    with transaction.atomic():
        if not fetch_column(sql("rollups.try_lock"), {})[0]:
            return 0
        [row] = fetch_dicts(sql("rollups.fold"), {"limit": limit})
        execute(sql("rollups.fold_outcomes"), {})
        keep_states(row["groups"])
    return int(row["moved"])


def fold_when_many() -> None:
    """Fold first if nobody has folded for long. Never in an open transaction."""
    if not connection.in_atomic_block and fetch_column(sql("rollups.many"), {"many": MANY})[0]:
        fold()


def tidy() -> None:
    """Delete hours without dead letters, and make the groups' rows that are still missing."""
    with transaction.atomic():
        if fetch_column(sql("rollups.try_lock"), {})[0]:
            execute(sql("rollups.tidy"), {})
            make_missing()


def check() -> list[Row]:
    """Return figures that differ from the dead letters, counted one by one in the same snapshot.

    Each names its key, ``letters`` (the truth) and ``counted``; a row of the trend has an ``hour``.
    """
    return fetch_dicts(sql("rollups.truth"), {})


def rebuild() -> list[Row]:
    """Correct the figures that ``check`` finds, while others go on writing. Return what they were."""
    with transaction.atomic(), connection.cursor() as cursor:
        # in the order in which a TRUNCATE takes them
        cursor.execute("LOCK TABLE dlq_events IN ACCESS SHARE MODE")
        cursor.execute(sql("rollups.lock"))
        return fetch_dicts(sql("rollups.mend").format(truth=sql("rollups.truth")), {})


def totals() -> str:
    """Return the relation in place of ``dead_letter_totals``; the scope's ``values`` has its parameters."""
    if not current_access().is_limited:
        return "dead_letter_totals"
    return sql("trend.totals").format(counted=_condition())


def hours(back: int, *, parts: bool = True) -> str:
    """Return the relation in place of ``dead_letter_trend``. ``parts``: also of groups seen in part."""
    access = current_access()
    if not access.is_limited:
        return "dead_letter_trend"
    whole = sql("trend.whole").format(counted=_condition())
    if not parts:
        return f"({whole}) within_scope"
    part = sql("trend.part").format(counted=_condition(), letters=access.letters("d"), back=int(back))
    return f"({whole} UNION ALL {part}) within_scope"


def _condition() -> str:
    return current_access().columns("t.queue", "t.event_type")


def keep_states(group_ids: Sequence[int]) -> None:
    """Update the states of groups after a fold that changed their figures."""
    if group_ids:
        execute(sql("group_states.make_missing"), {"groups": group_ids})
        execute(sql("group_states.regress"), {"groups": group_ids, "statuses": list(DeadLetterStatus)})
    execute(sql("group_states.wake").format(over=snooze_over()), {})


def make_missing() -> None:
    """Make rows of groups that no fold could make, because somebody seemed to be at it."""
    execute(sql("group_states.make_missing"), {"groups": fetch_column(sql("group_states.missing"), {})})


def snooze_over() -> str:
    """Return the SQL that says why the snooze of the group ``g`` is over; empty text while it lasts."""
    return sql("group_states.over")
