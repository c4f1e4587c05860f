"""The actions of the forms on a group's page."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from dlqconsole import triage as group_life
from dlqconsole.console.groups.forms import SNOOZES, TEXTS, GroupForm
from dlqconsole.core.errors import InvalidMerge
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.groups import merging
from dlqconsole.triage import GroupEditor

type FormValues = Mapping[str, Any]


def act(group_id: int, form: GroupForm, actor: str) -> str:
    """Do the action of a valid form; return the sentence for the person.

    Raises GroupConflict, InvalidGroup or InvalidMerge.
    """
    values = form.cleaned_data
    if values["verb"] == "merge" and not all(group_figures.visibility(values["into"])):
        raise InvalidMerge(f"There is no group {values['into']}, or some of it lies outside your scope.")
    change, sentence = _ACTS[values["verb"]]
    change(group_id, GroupEditor(actor, values["version"], values["reason"]), values)
    return sentence


def _describe(group_id: int, who: GroupEditor, values: FormValues) -> None:
    group_life.describe(group_id, who, **{name: values[name] for name in TEXTS})


def _resolve(group_id: int, who: GroupEditor, values: FormValues) -> None:
    group_life.resolve(group_id, who)


def _reopen(group_id: int, who: GroupEditor, values: FormValues) -> None:
    group_life.reopen(group_id, who)


def _snooze(group_id: int, who: GroupEditor, values: FormValues) -> None:
    conditions = {name: values[name] for name in SNOOZES}
    if isinstance(conditions["until"], timedelta):
        conditions["until"] = group_life.clock() + conditions["until"]
    group_life.snooze(group_id, who, **conditions)


def _merge(group_id: int, who: GroupEditor, values: FormValues) -> None:
    merging.merge([group_id], values["into"], actor=who.actor, reason=who.reason)


def _split(group_id: int, who: GroupEditor, values: FormValues) -> None:
    merging.split(values["fingerprint"], group_id, actor=who.actor, reason=who.reason)


_ACTS: dict[str, tuple[Callable[[int, GroupEditor, FormValues], None], str]] = {
    "describe": (_describe, "Saved."),
    "resolve": (_resolve, "Resolved. Should it come back, it says so loudly."),
    "reopen": (_reopen, "Open again."),
    "snooze": (_snooze, "Snoozed. It wakes by itself."),
    "merge": (
        _merge,
        "Merged: new failures go to the other group. Re-classify what is here to bring it along.",
    ),
    "split": (
        _split,
        "Taken apart: new failures get a group of their own. Re-classify what is here to part it, too.",
    ),
}
