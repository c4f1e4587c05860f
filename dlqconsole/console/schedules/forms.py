"""The forms of the schedule: a policy, a pause, and a run now."""

from typing import Any, ClassVar

from django.forms import CheckboxSelectMultiple, HiddenInput, MultipleChoiceField
from django.utils.translation import gettext as _

from dlqconsole.console.parts.fields import ReasonField, TypedField, VersionField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.engine.breakers import LONGEST_KEY
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing.inputs.fields import Choice, Field, Text
from dlqconsole.processing.inputs.times import Until
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies import Policies, PolicyScope, fields, words
from dlqconsole.retries.policies.checks import COLUMNS, InvalidPolicy, check_values
from dlqconsole.retries.policies.resolution import window_of
from dlqconsole.retries.policies.windows import ALWAYS, DAYS, window_columns

LOST = gettext_lazy("The form lost the version that it was opened with. Go back and open it again.")
_WINDOWS = [("always", gettext_lazy("at any time")), ("hours", gettext_lazy("only at these hours"))]
_DAYS, *_HOURS = fields.WINDOW
_WINDOW = tuple(field.name for field in fields.WINDOW)


class PolicyScopeForm(ConsoleForm):
    """The scope of a policy or of a pause, from the address or hidden fields."""

    ids = "whose"
    declarations = fields.SCOPE

    @property
    def scope(self) -> PolicyScope:
        """The scope of a valid form."""
        data = self.cleaned_data
        return PolicyScope(data["event_type"] or None, data["group"])


class RetryPolicyForm(ConsoleForm):
    """The values of a policy; an empty one comes from the next less specific policy."""

    ids = "policy"
    declarations = (
        fields.ENABLED,
        fields.ACTION,
        fields.MAX_RETRIES,
        *fields.BACKOFF,
        *_HOURS,
        fields.RATE,
    )

    version = VersionField(sentence=LOST)
    window = TypedField(
        Choice(
            what=gettext_lazy("The window"),
            label=gettext_lazy("Runs"),
            choices=_WINDOWS,
            empty=fields.AS_NEXT,
            is_required=False,
        )
    )
    window_days = MultipleChoiceField(
        label="On",
        choices=[(day, day.capitalize()) for day in DAYS],
        widget=CheckboxSelectMultiple,
        required=False,
        error_messages={
            "invalid_choice": gettext_lazy(
                "%(value)s is no day. The days are mon, tue, wed, thu, fri, sat, sun."
            )
        },
    )
    reason = ReasonField()

    def __init__(
        self, data: Any = None, *, scope: PolicyScope, policy: RetryPolicy | None, policies: Policies
    ) -> None:
        super().__init__(data, initial=_initial(policy))
        self.scope = scope
        self.fields["version"].required = policy is not None
        self._add_inherited_values(scope, policies)

    @property
    def is_trial(self) -> bool:
        return self.data.get("do") == "try"

    @property
    def policy_values(self) -> dict[str, Any]:
        """The policy as the service takes it."""
        data = self.cleaned_data
        values = {name: data.get(name) for name in COLUMNS if name not in _WINDOW}
        return values | self._window()

    def clean(self) -> dict[str, Any]:
        if self.is_trial:
            self.errors.pop("reason", None)
            self.errors.pop("version", None)
        try:
            check_values(self.policy_values)
        except InvalidPolicy as refusal:
            self.refuse(refusal)
        return self.cleaned_data

    def refuse(self, refusal: InvalidPolicy) -> None:
        """Show the service's problems, each beside its field."""
        for name, sentence in refusal.problems:
            if name not in self.errors:  # an unreadable value has its error already
                self.add_error(name if name in self.fields else None, translated(sentence))

    def _window(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("window") == "always":
            return window_columns(ALWAYS)
        if data.get("window") != "hours":
            return dict.fromkeys(_WINDOW)
        days = ",".join(data.get("window_days", ()))
        return {name: data.get(name) for name in _WINDOW} | {"window_days": days}

    def _add_inherited_values(self, scope: PolicyScope, policies: Policies) -> None:
        """Show the inherited value of each field that is left empty."""
        policy = policies.without(scope).of_scope(scope)
        value_words = words.values(policy)
        for name in ("enabled", "action", "max_retries", "backoff", "window", "rate"):
            empty = _("Empty: {value}, from {source}").format(
                value=value_words[name], source=words.source_words(policy.sources[name])
            )
            self.fields[name].help_text = f"{empty}. {self.fields[name].help_text}".strip(" .")


def _initial(policy: RetryPolicy | None) -> dict[str, Any]:
    if policy is None:
        return {"version": 0, "window_zone": ""}
    values: dict[str, Any] = {name: getattr(policy, name) for name in COLUMNS}
    window = window_of(policy)
    values["window"] = "" if window is None else "always" if window.is_always else "hours"
    if window is not None and window.is_always:
        values |= dict.fromkeys(_WINDOW)
    values["window_days"] = [day for day in (values["window_days"] or "").split(",") if day]
    return values | {"version": policy.version}


class PolicyActionForm(ConsoleForm):
    """The reason to delete a policy, and the version that the person saw."""

    ids = "confirm"

    version = VersionField(sentence=LOST)
    reason = ReasonField()


class PauseForm(PolicyScopeForm):
    """The scope, reason and end of a pause. ``is_scoped``: the address has the scope; else the form asks."""

    ids = "confirm"
    declarations: ClassVar[tuple[Field, ...]] = (*fields.SCOPE, fields.UNTIL)

    reason = ReasonField()

    def __init__(self, *arguments: Any, is_scoped: bool = True, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.is_scoped = is_scoped
        for name in ("event_type", "group") if is_scoped else ():
            self.fields[name].widget = HiddenInput()

    def clean(self) -> dict[str, Any]:
        if not self.is_scoped and not self.errors and self.scope.is_all:
            self.add_error("event_type", _("Say which: an event type or a failure group."))
        return self.cleaned_data


class ResumeForm(PauseForm):
    """The scope to resume, and the reason."""

    declarations = fields.SCOPE


class RunNowForm(ConsoleForm):
    """The reason for a run now."""

    ids = "confirm"

    reason = ReasonField()


class BreakerForm(ConsoleForm):
    """The breaker, and the reason."""

    ids = "confirm"

    key = TypedField(
        Text(
            what=gettext_lazy("The breaker"),
            label=gettext_lazy("Breaker"),
            hint=gettext_lazy("type:order.created, or dependency:billing"),
            limit=LONGEST_KEY,
        )
    )
    reason = ReasonField()


class HoldForm(BreakerForm):
    """The state in which it is held, and until when."""

    field_order = ("key", "held", "until", "reason")

    held = TypedField(
        Choice(
            what=gettext_lazy("How it is held"),
            label=gettext_lazy("Hold it"),
            choices=[
                ("open", gettext_lazy("open: its handlers do not run")),
                ("closed", gettext_lazy("closed: they run, whatever happens")),
            ],
        )
    )
    until = TypedField(
        Until(
            what=gettext_lazy("The end"),
            label=gettext_lazy("Until"),
            hint=gettext_lazy("2h, 1d, a date or a time in UTC; 31 days at most"),
        )
    )


class TakeOverForm(RunNowForm):
    """The reason to end the run of a dead worker."""
