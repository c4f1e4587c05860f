"""The reasons for a dead letter's category and group, in sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.sql import sql
from dlqconsole.processing.inputs.sentences import gettext_noop

CURRENT_VERSION = 2

# as much of a trace as a fingerprint reads; behind it its last line alone
READ = 32_768
_THREAD = re.compile(r'^(?:Exception in thread "[^"]*" |Caused by: |Uncaught )')


# what factors are called, for translators
_NAMES = (
    gettext_noop("rule"), gettext_noop("type"), gettext_noop("category"), gettext_noop("class"),
    gettext_noop("message"), gettext_noop("frames"), gettext_noop("merge"), gettext_noop("version"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor of a group. ``detail``: a failure's own text, to be shown as foreign; empty without one."""

    name: str
    sentence: str
    detail: str = ""


def explain(letter_id: int, *, is_whole: bool = True) -> list[Factor]:
    """Explain a dead letter's group, part by part; empty when there is no such dead letter.

    Merges, their authors and reasons, are only for people who see the whole group.
    """
    for row in fetch_dicts(sql("classification.explain"), {"id": letter_id}):
        return [*_fingerprint(row), *(_merge(row) if is_whole else ()), *_version(row)]
    return []


def explain_group(group_id: int, *, is_whole: bool) -> list[Factor]:
    """Explain a group by its newest dead letter within the scope; empty for a group that has none."""
    access = current_access()
    query = sql("classification.newest_of_group").format(letters=access.letters("dlq_events"))
    newest = fetch_column(query, {"group": group_id} | access.values())
    return explain(newest[0], is_whole=is_whole) if newest else []


def _fingerprint(row: dict[str, Any]) -> list[Factor]:
    words = row["fingerprint_words"]
    rule = _("Rule {number} ({name})").format(
        number=row["fingerprint_rule_id"], name=row["fingerprint_rule"] or _("deleted since")
    )
    if words is not None and "{default}" not in words:
        part = Factor(
            "rule",
            _("{rule} gives it this fingerprint; nothing else counts.").format(rule=rule),
            row["message"],
        )
        return [part, _category(row)]
    parts = [
        Factor("type", _("The event type."), row["event_type"]),
        _category(row),
        _error_class(row),
        _message(row),
        _frames(row),
    ]
    if row["fingerprint_rule_id"] is not None:
        parts.append(
            Factor(
                "rule",
                _("{rule} tells apart further what the parts above put together.").format(rule=rule),
                words or "",
            )
        )
    return parts


def _category(row: dict[str, Any]) -> Factor:
    category, original, rule = row["error_category"], row["said_category"], row["category_rule_id"]
    if rule is not None:
        name = row["category_rule"] or _("deleted since")
        sentence = _(
            "The category {category}, by rule {rule} ({name}); the error itself said {original}."
        ).format(category=category, rule=rule, name=name, original=original or category)
    elif original is not None:
        sentence = _(
            "The category {category}, as a person re-classified it; the error itself said {original}."
        ).format(category=category, original=original)
    else:
        sentence = _("The category {category}, as the error itself said it.").format(category=category)
    return Factor("category", sentence)


def _error_class(row: dict[str, Any]) -> Factor:
    if not row["error_class"]:
        return Factor("class", _("No error class: the reason does not begin with one."))
    return Factor("class", _("The error class."), row["error_class"])


def _message(row: dict[str, Any]) -> Factor:
    if row["message"] == row["original"]:
        return Factor("message", _("The first line of the reason; nothing in it varies."), row["message"])
    return Factor(
        "message",
        _("The first line of the reason without what varies. It reads: {original}").format(
            original=row["original"]
        ),
        row["message"],
    )


def _frames(row: dict[str, Any]) -> Factor:
    if not row["frames"]:
        return Factor(
            "frames",
            _("No frames of the application: the trace is missing, or shows only libraries."),
        )
    return Factor(
        "frames",
        _("The application's frames nearest to the error, outermost first."),
        row["frames"],
    )


def _merge(row: dict[str, Any]) -> list[Factor]:
    if row["merged_by"] is None:
        return []
    day = row["merged_at"].strftime("%Y-%m-%d")
    sentence = _("{merged_by} merged this fingerprint into group {merged_into} on {day}.").format(
        merged_by=row["merged_by"], merged_into=row["merged_into"], day=day
    )
    return [Factor("merge", sentence, row["merged_because"])]


def _version(row: dict[str, Any]) -> list[Factor]:
    if row["fingerprint_version"] != CURRENT_VERSION:
        return [
            Factor(
                "version",
                _(
                    "Its group was made by version {fingerprint_version}, without frames or rules; it"
                    " keeps it until it fails anew or is re-classified."
                ).format(fingerprint_version=row["fingerprint_version"]),
            )
        ]
    parts = [
        Factor(
            "version",
            _("Version {current_version} of the fingerprint.").format(current_version=CURRENT_VERSION),
        )
    ]
    if row["now_group_id"] != row["group_id"] or row["now_category"] != row["error_category"]:
        parts.append(
            Factor(
                "stale",
                _("The rules or merges have changed since: re-classified now, it would stand elsewhere."),
            )
        )
    return parts


def groups_of(trace: str) -> list[tuple[int, str]]:
    """Return number and sentence of the groups that fit a trace best."""
    frames = trace if len(trace) <= READ else f"{trace[:READ]}\n{trace[-READ:]}"
    values = {"frames": frames[-READ:], "start": trace[:READ], "lines": list(dict.fromkeys(_reasons(trace)))}
    rows = fetch_dicts(sql("traces.groups_of"), values)
    return [(row["id"], row["message"]) for row in rows if row["fits"] == rows[0]["fits"]]


def last_line(trace: str) -> str:
    """Return a trace's last line: in many languages the reason."""
    return next((line.strip() for line in reversed(trace.splitlines()) if line.strip()), "")


def longest_words(sentence: str) -> str:
    """Return the longest piece of a sentence between its values: by it the sentence is found."""
    return max(re.split(r"<(?:value|code)>", sentence), key=len).strip()


def _reasons(trace: str) -> Iterator[str]:
    """Yield the lines that may be the reason: the last, the first, and those of causes."""
    lines = [line.strip() for line in trace.splitlines() if line.strip()]
    yield last_line(trace)
    for line in [*lines[:1], *(line for line in lines if line.startswith("Caused by: "))][:20]:
        yield _THREAD.sub("", line)
