"""The forms of failure rules and rules of owners, a rule in words, and the filter for its dead letters."""

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.forms import BoundField

from dlqconsole.console.parts.fields import ReasonField, SwitchField, TypedField, VersionField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.core.errors import InvalidRule
from dlqconsole.engine.groups.rule_lists import RuleList
from dlqconsole.engine.groups.rules import CONDITIONS, RULE, RULES
from dlqconsole.engine.models import FailureRule, OwnerRule
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.hosting.wording import translated
from dlqconsole.processing.inputs.fields import Choice, Field
from dlqconsole.triage.owner_rules import CONDITIONS as OWNER_CONDITIONS
from dlqconsole.triage.owner_rules import OWNER_RULE, OWNER_RULES

LOST = _("The form lost the version that it was opened with. Go back and open it again.")
_WORDS = {
    "event_type": _("type is"),
    "error_class": _("class is"),
    "sqlstate": _("SQLSTATE is"),
    "http_status": _("HTTP status is"),
    "pattern": _("reason matches"),
    "queue": _("queue is"),
    "frame": _("a frame is"),
}


class _AnyRuleForm(ConsoleForm):
    """The values of a rule, the version that the person saw, and the reason for the change."""

    ids = "rule"
    rules: ClassVar[RuleList[Any]]
    condition_fields: ClassVar[tuple[Field, ...]]
    new: ClassVar[dict[str, Any]] = {"version": 0}

    version = VersionField(sentence=LOST)
    reason = ReasonField()

    def __init__(self, data: Any = None, *, rule: FailureRule | OwnerRule | None = None) -> None:
        values = self.rules.fields_of(rule) | {"version": rule.version} if rule else self.new
        super().__init__(data, initial=values)
        # a new rule has no version
        self.fields["version"].required = rule is not None

    @property
    def rule_values(self) -> dict[str, Any]:
        """The rule as the service takes it."""
        return {name: self.cleaned_data[name] for name in self.rules.fields}

    @property
    def conditions(self) -> list[BoundField]:
        return [self[field.name] for field in self.condition_fields]


class RuleForm(_AnyRuleForm):
    """The conditions and the effects of a failure rule. A trial needs no reason."""

    declarations = RULE
    rules = RULES
    condition_fields = CONDITIONS

    overrides = SwitchField()

    @property
    def is_trial(self) -> bool:
        return self.data.get("do") == "try"

    def clean(self) -> dict[str, Any]:
        if self.is_trial:
            self.errors.pop("reason", None)
            self.errors.pop("version", None)
        return self.cleaned_data


class OwnerRuleForm(_AnyRuleForm):
    """The conditions of a rule of owners, and the owner."""

    declarations = OWNER_RULE
    rules = OWNER_RULES
    condition_fields = OWNER_CONDITIONS
    new: ClassVar[dict[str, Any]] = {"enabled": True}

    enabled = SwitchField()


class RuleActionForm(ConsoleForm):
    """The reason to switch or delete a rule, and the version that the person saw."""

    ids = "confirm"

    version = VersionField(sentence=LOST)
    reason = ReasonField()


class RulePlaceForm(ConsoleForm):
    """One place earlier or later."""

    version = VersionField(sentence=LOST)
    way = TypedField(Choice(what=_("The way"), choices=[("up", "earlier"), ("down", "later")]))


def refuse(form: ConsoleForm, rules: RuleList[Any], refusal: InvalidRule) -> None:
    """Show the service's problems, each beside its field."""
    for problem in refusal.problems:
        form.add_error(rules.refused_field(problem) or None, translated(problem))


def list_lines(rules: RuleList[Any]) -> list[dict[str, Any]]:
    """Each rule with its conditions in words, in the order in which they are asked."""
    names = [name for name in _WORDS if name in rules.fields]
    return [
        {
            "rule": rule,
            "conditions": [
                {"label": _WORDS[name], "value": getattr(rule, name)} for name in names if getattr(rule, name)
            ],
        }
        for rule in rules.all()
    ]


def affected_filter(values: Mapping[str, Any]) -> str:
    """The narrowest filter of the list that includes every dead letter of the rule."""
    query = {}
    event_type = str(values.get("event_type") or "")
    if event_type and "*" not in event_type:
        query["type"] = event_type
    longest = max(str(values.get("error_class") or "").split("*"), key=len).strip()
    if len(longest) > 2:
        query["reason"] = longest
    return urlencode(query)
