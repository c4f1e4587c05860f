"""The schedule on a terminal."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from dlqconsole.engine.moments import moment
from dlqconsole.people.names import named
from dlqconsole.processing.texts import printable
from dlqconsole.retries.policies import words
from dlqconsole.retries.policy_preview import PolicyPreview
from dlqconsole.retries.why import WhyNot


def overview(
    next_run: datetime | str, rows: Iterable[Mapping[str, Any]], reasons: Sequence[WhyNot] | None
) -> list[str]:
    """The next run, the policies, and the reasons why others wait."""
    lines = [f"next run: {next_run if isinstance(next_run, str) else moment(next_run)}", "policies:"]
    lines += [line for row in rows for line in _policy(row)]
    if reasons is None:
        return [*lines, "Why it waits is not known (counting took too long)."]
    return [
        *lines,
        "dead letters:",
        *(f"  {each.count:>9,}  {printable(named(each.why))}" for each in reasons),
    ]


def as_json(
    next_run: datetime | str, rows: Iterable[Mapping[str, Any]], reasons: Sequence[WhyNot] | None
) -> list[str]:
    """The same, an object a line."""
    policies = [
        {
            "policy": row["id"],
            "for": row["words"],
            "values": {value["label"].lower(): value["text"] for value in row["values"]},
            "waiting": row["waiting"],
            "why": named(row["why"]),
        }
        for row in rows
    ]
    whys = [{"why": named(each.why), "code": each.code, "dead_letters": each.count} for each in reasons or ()]
    start = next_run if isinstance(next_run, str) else next_run.isoformat()
    return [json.dumps(each) for each in ({"next_run": start}, *policies, *whys)]


def preview_as_json(result: PolicyPreview, why: str) -> list[str]:
    """The effect of a policy, as one object."""
    figures = {**asdict(result.figures), "takes": result.takes, "values": words.values(result.policy)}
    return [json.dumps(figures | {"runs": [run.isoformat() for run in result.runs], "why": named(why)})]


def _policy(row: Mapping[str, Any]) -> list[str]:
    values = ", ".join(
        f"{value['label'].lower()} {value['text']}{'' if value['is_own'] else '*'}" for value in row["values"]
    )
    number = f" (policy {row['id']})" if row["id"] else ""
    lines = [f"  {printable(row['words'])}{number}: {values}; {row['waiting']:,} wait"]
    lines += [f"    also: {', '.join(row['limits'])}"] if row["limits"] else []
    return lines + ([f"    waits: {printable(named(row['why']))}"] if row["why"] else [])


def preview(result: PolicyPreview, why: str) -> list[str]:
    """The effect of a policy, its values with their sources, and its next runs."""
    figures = result.figures
    lines = [f"{figures.reach:,} waiting dead letters are in its reach."]
    if figures.due is not None:
        lines = [
            f"{lines[0]} {figures.due:,} are due; {figures.become_due:,} become due at once;"
            f" {figures.used_up:,} would have used their tries."
        ]
    value_words = words.values(result.policy)
    lines += [
        f"  {words.NAMES[name].lower():<16} {value_words[name]}, from {printable(words.source_words(source))}"
        for name, source in result.policy.sources.items()
    ]
    if not result.runs:
        return [*lines, f"No run takes them: {printable(named(why))}."]
    return [*lines, "next runs:", *(f"  {moment(run)}" for run in result.runs)]
