"""The forms of a failure rule, a rule in words, and the filter for its dead letters."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.forms import BoundField

from dlqconsole.console.parts.fields import ReasonField, SwitchField, TypedField, VersionField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.core.errors import InvalidRule
from dlqconsole.engine.groups.rules import CONDITIONS, FIELDS, RULE, RULES
from dlqconsole.engine.models import FailureRule, OwnerRule
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.hosting.wording import translated
from dlqconsole.processing.inputs.fields import Choice
from dlqconsole.triage.owner_rules import CONDITIONS as OWNER_CONDITIONS
from dlqconsole.triage.owner_rules import OWNER_RULE, OWNER_RULES

LOST = _("The form lost the version that it was opened with. Go back and open it again.")
_WORDS = {
    "event_type": _("type is"),
    "error_class": _("class is"),
    "sqlstate": _("SQLSTATE is"),
    "http_status": _("HTTP status is"),
    "pattern": _("reason matches"),
}


class RuleForm(ConsoleForm):
    """The conditions and the effects of a rule. A trial needs no reason."""

    ids = "rule"
    declarations = RULE

    version = VersionField(sentence=LOST)
    overrides = SwitchField()
    reason = ReasonField()

    def __init__(self, data: Any = None, *, rule: FailureRule | None = None) -> None:
        values = RULES.fields_of(rule) | {"version": rule.version} if rule else {"version": 0}
        super().__init__(data, initial=values)
        # a new rule has no version
        self.fields["version"].required = rule is not None

    @property
    def is_trial(self) -> bool:
        return self.data.get("do") == "try"

    def clean(self) -> dict[str, Any]:
        if self.is_trial:
            self.errors.pop("reason", None)
            self.errors.pop("version", None)
        return self.cleaned_data

    @property
    def rule_values(self) -> dict[str, Any]:
        """The rule as the service takes it."""
        return {name: self.cleaned_data[name] for name in FIELDS}

    @property
    def conditions(self) -> list[BoundField]:
        return [self[field.name] for field in CONDITIONS]

    def refuse(self, refusal: InvalidRule) -> None:
        """Show the service's problems, each beside its field."""
        for problem in refusal.problems:
            self.add_error(RULES.refused_field(problem) or None, translated(problem))


class OwnerRuleForm(ConsoleForm):
    """The conditions of a rule of owners, and the owner."""

    ids = "rule"
    declarations = OWNER_RULE

    version = VersionField(sentence=LOST)
    enabled = SwitchField()
    reason = ReasonField()

    def __init__(self, data: Any = None, *, rule: OwnerRule | None = None) -> None:
        values = OWNER_RULES.fields_of(rule) | {"version": rule.version} if rule else {"enabled": True}
        super().__init__(data, initial=values)
        # a new rule has no version
        self.fields["version"].required = rule is not None

    @property
    def rule_values(self) -> dict[str, Any]:
        """The rule as the service takes it."""
        return {name: self.cleaned_data[name] for name in OWNER_RULES.fields}

    @property
    def conditions(self) -> list[BoundField]:
        return [self[field.name] for field in OWNER_CONDITIONS]


class RuleActionForm(ConsoleForm):
    """The reason to switch or delete a rule, and the version that the person saw."""

    ids = "confirm"

    version = VersionField(sentence=LOST)
    reason = ReasonField()


class RulePlaceForm(ConsoleForm):
    """One place earlier or later."""

    version = VersionField(sentence=LOST)
    way = TypedField(Choice(what=_("The way"), choices=[("up", "earlier"), ("down", "later")]))


def in_words(rule: FailureRule) -> dict[str, Any]:
    """One line of the list."""
    return {
        "rule": rule,
        "conditions": [
            {"label": label, "value": getattr(rule, name)}
            for name, label in _WORDS.items()
            if getattr(rule, name)
        ],
    }


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
