"""What each form of a group's page does."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from dlqconsole.console.groups.forms import SNOOZES, TEXTS, GroupForm
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.errors import InvalidMerge
from dlqconsole.engine.groups import merging
from dlqconsole.engine.reach import Reach
from dlqconsole.triage import groups as group_life
from dlqconsole.triage.groups import GroupEditor

type Typed = Mapping[str, Any]


def act(group_id: int, form: GroupForm, actor: str, reach: Reach) -> str:
    """Do what a valid form asks; what to tell the person.

    Raises GroupConflict, InvalidGroup or InvalidMerge.
    """
    typed = form.cleaned_data
    if typed["verb"] == "merge" and not all(group_figures.seen(typed["into"], reach)):
        raise InvalidMerge(f"There is no group {typed['into']}, or some of it lies outside your scope.")
    does, said = _ACTS[typed["verb"]]
    does(group_id, GroupEditor(actor, typed["version"], typed["reason"]), typed)
    return said


def _describe(group_id: int, editor: GroupEditor, typed: Typed) -> None:
    group_life.describe(group_id, editor, **{name: typed[name] for name in TEXTS})


def _resolve(group_id: int, editor: GroupEditor, typed: Typed) -> None:
    group_life.resolve(group_id, editor)


def _reopen(group_id: int, editor: GroupEditor, typed: Typed) -> None:
    group_life.reopen(group_id, editor)


def _snooze(group_id: int, editor: GroupEditor, typed: Typed) -> None:
    values = {name: typed[name] for name in SNOOZES}
    if isinstance(values["until"], timedelta):
        values["until"] = group_life.clock() + values["until"]
    group_life.snooze(group_id, editor, **values)


def _merge(group_id: int, editor: GroupEditor, typed: Typed) -> None:
    merging.merge([group_id], typed["into"], actor=editor.actor, reason=editor.reason)


def _split(group_id: int, editor: GroupEditor, typed: Typed) -> None:
    merging.split(typed["fingerprint"], group_id, actor=editor.actor, reason=editor.reason)


_ACTS: dict[str, tuple[Callable[[int, GroupEditor, Typed], None], str]] = {
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
