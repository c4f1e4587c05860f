"""A queue in words: its policy, and on a terminal one line each or one queue whole."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dlqconsole.engine.queues.metrics import STATES
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.texts import printable

_LONGEST_NAME = 40
_STANDING = tuple(state.replace("_", " ") for state in STATES)
_HEADS = (*_STANDING, "oldest", "done/min", "failing", "dead letters")
_WAKES = {
    "throttled": gettext_lazy("when one waits"),
    "statement": gettext_lazy("with every statement"),
    "off": gettext_lazy("never: they poll"),
}


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A head, a line a queue, and the warnings below."""
    cells = [("queue", *_HEADS, ""), *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if 0 < column <= len(_HEADS) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
    return lines + [f"{_name(row)}: {printable(sentence)}" for row in rows for sentence in row["warnings"]]


def whole(
    row: Mapping[str, Any], minutes: Sequence[Mapping[str, Any]], patterns: Sequence[str] = ()
) -> list[str]:
    """One queue: figures, policy, topics, warnings."""
    totals = {
        name: sum(minute[name] for minute in minutes) for name in ("completed", "retried", "dead_lettered")
    }
    figures = [(head, cell) for head, cell in zip(_HEADS, _cells(row)[1:-1], strict=True)]
    figures.append(("consumers asleep", f"{row['consumers_waiting']:,}"))
    if row["consumers_in_sql"]:
        figures.append(("consumers in SQL", printable(", ".join(row["consumers_in_sql"]))))
    figures.append(
        (
            "last hour",
            f"{totals['completed']:,} completed, {totals['retried']:,} retried,"
            f" {totals['dead_lettered']:,} dead-lettered",
        )
    )
    figures += [("later", sentence) for sentence in row["later"]]
    if "attached" in row:
        figures.append(("on the way", f"{row['on_the_way']:,}"))
    figures += [(label.lower(), words) for label, words in describe(row["policy"], patterns)]
    title = printable(row["name"]) + (" (paused)" if row["paused"] else "")
    return [title, *(f"  {label:<17} {words}" for label, words in figures), *map(printable, row["warnings"])]


def changes_in_words(changes: Mapping[str, Sequence[Any]]) -> str:
    """Each changed part of a policy, with its old and new value; empty without a change."""
    return "; ".join(f"{field.replace('_', ' ')}: {old} → {new}" for field, (old, new) in changes.items())


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    age, share = row["oldest_due_seconds"], row["failure_share"]
    return (
        _name(row),
        *(count(row, state) for state in STATES),
        "-" if age is None else f"{age:,.0f} s",
        f"{row['completed_per_minute']:,.0f}",
        "-" if share is None else f"{share:.0%}",
        f"{row['dead_letters']:,}",
        "paused" if row["paused"] else row.get("attached", ""),
    )


def count(row: Mapping[str, Any], state: str) -> str:
    """A figure, with a plus if there may be more, and a question mark if it is unknown."""
    if row[state] is None:
        return "?"
    return f"{row[state]:,}{'+' if state in row['at_least'] else ''}"


def _name(row: Mapping[str, Any]) -> str:
    return printable(row["name"][:_LONGEST_NAME])


def describe(policy: Mapping[str, Any], patterns: Sequence[str] = ()) -> list[tuple[str, str]]:
    """A label and its words, for each part of the policy, and the topics if there are some."""
    topics = [(_("Topics"), ", ".join(patterns))] if patterns else []
    return [*(_describe_elsewhere if "max_deliveries" in policy else _describe)(policy), *topics]


def _describe(policy: Mapping[str, Any]) -> list[tuple[str, str]]:
    limit, age_limit = policy["rate_limit"], policy["age_limit_seconds"]
    return [
        (
            _("Retries"),
            _("{number:,} on the queue, then a dead letter").format(number=policy["max_retries"]),
        ),
        (_("Lease"), f"{policy['lease_seconds']:,} s"),
        (_("Backoff"), _backoff(policy)),
        (_("Completed"), _retention(policy)),
        (_("Wakes consumers"), str(_WAKES.get(policy["notify"], policy["notify"]))),
        (_("Groups"), _groups(policy)),
        (_("Rate limit"), _("{limit:,g} claims a second").format(limit=limit) if limit else _("none")),
        (
            _("Age limit"),
            _("{number:,} s for the oldest waiting message").format(number=age_limit)
            if age_limit
            else _("none"),
        ),
        (
            _("Durability"),
            _("unlogged: lost in a crash of the database") if policy["unlogged"] else _("logged"),
        ),
    ]


def _describe_elsewhere(policy: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The known parts of the policy of another system's queue: see ``standing``."""
    return [
        (_("Deliveries"), _("{number:,}, then a dead letter").format(number=policy["max_deliveries"])),
        (_("Lease"), _("{seconds:,} s, for consumers of ours").format(seconds=policy["lease_seconds"])),
    ]


def _backoff(policy: Mapping[str, Any]) -> str:
    base, factor = policy["backoff_base_seconds"], policy["backoff_factor"]
    grows = _("{base:,g} s each time, at most {cap:,g} s")
    if factor > 1:
        grows = _("{base:,g} s at first, then {factor:g} times the last, at most {cap:,g} s")
    jitter = _("jitter {share:.0%}") if policy["backoff_jitter"] else _("no jitter")
    words = f"{grows}; {jitter}"
    return words.format(
        base=base, factor=factor, cap=policy["backoff_cap_seconds"], share=policy["backoff_jitter"]
    )


def _groups(policy: Mapping[str, Any]) -> str:
    if not policy["fifo_groups"]:
        return _("only a label")
    if policy["on_dead_letter"] == "hold":
        return _("one message at a time, in order; behind a dead letter its group waits")
    return _("one message at a time, in order")


def _retention(policy: Mapping[str, Any]) -> str:
    if policy["retention"] != "archive":
        return pgettext("completed messages", "deleted")
    return _("archived for {days:,} days").format(days=policy["archive_days"])
