"""The console's forms without HTTP: what a view would read from them, and do with what they hold."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from django.http import QueryDict

from dlqconsole.console.dead_letters.edit_texts import EditTexts
from dlqconsole.console.dead_letters.forms import EditForm, VersionRestoreForm
from dlqconsole.console.groups.forms import form_from_post
from dlqconsole.console.groups.views import act
from dlqconsole.console.operations.confirmation import confirmation
from dlqconsole.console.operations.forms import RecipeForm, RequestForm
from dlqconsole.console.operations.operation_intent import NotUnderstood, OperationIntent, read_scope
from dlqconsole.console.operations.options_form import OptionsForm
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.console.queues.forms import (
    ChangeForm,
    NewQueueForm,
    QueuePolicyForm,
)
from dlqconsole.console.rules.forms import RuleActionForm, RuleForm, RulePlaceForm
from dlqconsole.core.errors import EngineError
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.groups.rules import RULES, attempt
from dlqconsole.engine.models import FailureGroup, FailureRule
from dlqconsole.engine.queues import policy
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.requests import recipes, service
from dlqconsole.processing.edits import EditRefused
from dlqconsole.processing.patching import RecipeRefused, read_recipe

WHO = {"actor": "user:ann", "reason": "a test"}
QUEUE_ACTIONS = ("pause", "resume", "drop")

type Typed = dict[str, Any]


def posted(fields: dict[str, Any]) -> QueryDict:
    """The fields as Django reads them from a body."""
    data = QueryDict(mutable=True)
    for name, value in fields.items():
        data.setlist(name, [str(one) for one in value] if isinstance(value, list) else [str(value)])
    return data


def submitted(name: str, fields: dict[str, Any], numbers: dict[str, int]) -> ConsoleForm:
    """The form after its view: with the sentences of the form or of the service, or without any."""
    made, does = DIRECT[name](posted(fields), numbers)
    if made.is_valid():
        try:
            does(made.cleaned_data)
        except (EditRefused, EngineError, OperationRefused, RecipeRefused) as refusal:
            made.add_error(None, str(refusal))
    return made


def new_queue(fields: dict[str, Any]) -> NewQueueForm:
    return checked(NewQueueForm(posted(fields), policy=policy.DEFAULTS))


def changed_policy(fields: dict[str, Any]) -> ChangeForm:
    return checked(ChangeForm(posted(fields), policy=policy.DEFAULTS))


def checked[F: QueuePolicyForm](form: F) -> F:
    """The engine accepts all that the form lets pass: one rule reads both."""
    if form.is_valid():
        policy.check_policy(form.policy)
    return form


def _edit(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    letter = editing.current(numbers["letter"])
    form = EditForm(data, letter=letter, texts=EditTexts(SimpleNamespace(is_masked=True), letter))

    def store(typed: Typed) -> None:
        payload, headers = form.as_stored()
        change = {"payload_text": payload, "headers": headers, "version": typed["version"]}
        if form.is_saving:
            editing.edit(numbers["letter"], **change, actor="user:ann", reason=typed["reason"])
        elif data.get("step") != "edit":
            seen = editing.open_for_edit(numbers["letter"], typed["version"])
            editing.draft(seen, payload, headers)

    return form, store


def _versions(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    def restore(typed: Typed) -> None:
        who = {"actor": "user:ann", "reason": typed["reason"]}
        editing.restore(numbers["letter"], typed["number"], version=typed["version"], **who)

    return VersionRestoreForm(data), restore


def _new_rule(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    form = RuleForm(data)
    return (
        form,
        lambda typed: attempt(form.rule_values) if form.is_trial else RULES.add(form.rule_values, **WHO),
    )


def _rule(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    form = RuleForm(data, rule=FailureRule.objects.get(pk=numbers["rule"]))
    return form, lambda typed: RULES.change(numbers["rule"], typed["version"], form.rule_values, **WHO)


def _switch(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    return RuleActionForm(data), lambda typed: RULES.switch(numbers["rule"], typed["version"], False, **WHO)


def _delete(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    return RuleActionForm(data), lambda typed: RULES.delete(numbers["rule"], typed["version"], **WHO)


def _move(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    return RulePlaceForm(data), lambda typed: RULES.move(
        numbers["rule"], typed["version"], typed["way"] == "up", **WHO
    )


def _group(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    form = form_from_post(data, FailureGroup.objects.get(pk=numbers["group"]))
    return form, lambda typed: act(numbers["group"], form, "user:ann")


def _asked(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    try:
        asked = OperationIntent.read(data)
    except NotUnderstood as problem:
        return _refused(data, str(problem)), lambda typed: None
    request, options = RequestForm(asked, data, is_sent=True), OptionsForm(asked.kind, data)
    if request.is_valid() and options.is_valid():
        return options, lambda typed: service.request_operation(request.request(typed), actor="user:ann")
    return request if request.errors else options, lambda typed: None


def _refused(data: QueryDict, sentence: str) -> ConsoleForm:
    form = ConsoleForm(data)
    form.add_error(None, sentence)
    return form


def _confirmed(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    try:
        asked = OperationIntent.read(data)
    except NotUnderstood as problem:
        return _refused(data, str(problem)), lambda typed: None
    form, options = RequestForm(asked, data, is_sent=False), OptionsForm(asked.kind, data)
    return options, lambda typed: confirmation(asked, form, options)


def _recipe(data: QueryDict, numbers: dict[str, int]) -> tuple[ConsoleForm, Callable[[Typed], object]]:
    try:
        scope = read_scope(data)
    except NotUnderstood as problem:
        return _refused(data, str(problem)), lambda typed: None
    return RecipeForm(data), lambda typed: recipes.preview(read_recipe(typed["recipe"]), scope)


DIRECT = {
    "recipe": _recipe,
    "run again": _asked,
    **{f"{kind.name} asked": _asked for kind in kinds.asked_for()},
    **{f"{kind.name} confirmed": _confirmed for kind in kinds.asked_for()},
    "edit": _edit,
    "edit and revive": _edit,
    "versions": _versions,
    "rule try": _new_rule,
    "rule new": _new_rule,
    "rule change": _rule,
    "rule switch": _switch,
    "rule delete": _delete,
    "rule move": _move,
    "group describe": _group,
    "group snooze": _group,
    "group resolve": _group,
}
