"""The forms of the schedule: a policy, a pause, and a run now."""

from typing import Any

from django.forms import BoundField, CheckboxSelectMultiple, HiddenInput, MultipleChoiceField

from dlqconsole.console.parts.fields import ReasonField, TypedField, VersionField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.core.lifecycle.states import Category
from dlqconsole.engine.breakers.keys import LONGEST as LONGEST_KEY
from dlqconsole.processing.inputs.fields import Choice, Number, Text, WholeNumber, YesNo
from dlqconsole.processing.inputs.time_fields import Clock, Until, Wait
from dlqconsole.retries.models import BOUNDS, BackoffKind, RetryPolicy
from dlqconsole.retries.policies import Policies, Scope, words
from dlqconsole.retries.policies.checks import COLUMNS, LABELS, WINDOW, InvalidPolicy, check_values
from dlqconsole.retries.policies.resolution import window_of
from dlqconsole.retries.policies.windows import ALWAYS, DAYS, window_columns

LOST = "The form lost the version that it was opened with. Go back and open it again."
_OPEN = "as the next policy says"
_WINDOWS = [("always", "at any time"), ("hours", "only at these hours")]
_SHOWN = ("max_retries", "batch", "rate", "parallelism", "lease_seconds", "lock_at_least_seconds", "weight")


def _count(name: str, label: str) -> TypedField:
    low, high = BOUNDS[name]
    number = WholeNumber(what=LABELS[name], label=label, low=int(low), high=int(high), is_required=False)
    return TypedField(number)


class PolicyScopeForm(ConsoleForm):
    """The scope of a policy or of a pause, from the address or hidden fields."""

    ids = "whose"

    event_type = TypedField(
        Text(what="The event type", label="Event type", hint="empty: any", limit=255), required=False
    )
    category = TypedField(
        Choice(what="The category", choices=Category.choices(), empty="any"), required=False
    )
    group = TypedField(
        WholeNumber(what="The group", label="Failure group", hint="its number, alone; empty: any", low=1),
        required=False,
    )

    @property
    def scope(self) -> Scope:
        """The scope of a valid form."""
        data = self.cleaned_data
        return Scope(data["event_type"] or None, data["category"] or None, data["group"])


class RetryPolicyForm(ConsoleForm):
    """The values of a policy; an empty one comes from the next less specific policy."""

    ids = "policy"

    version = VersionField(sentence=LOST)
    enabled = TypedField(
        YesNo(
            what=LABELS["enabled"],
            label="Retried by the schedule",
            choices=(("yes", "yes"), ("no", "no: a person decides")),
            empty=_OPEN,
        ),
        required=False,
    )
    max_retries = _count("max_retries", "Most retries")
    backoff = TypedField(
        Choice(
            what=LABELS["backoff"],
            label="Waits after a failure",
            choices=BackoffKind.choices,
            empty=_OPEN,
        ),
        required=False,
    )
    backoff_base_seconds = TypedField(
        Wait(what=LABELS["backoff_base_seconds"], label="First wait", hint="30s, 90m, 6h"), required=False
    )
    backoff_cap_seconds = TypedField(
        Wait(
            what=LABELS["backoff_cap_seconds"],
            label="Longest wait",
            hint="where it is doubled each time",
        ),
        required=False,
    )
    window = TypedField(
        Choice(what="The window", label="Runs", choices=_WINDOWS, empty=_OPEN), required=False
    )
    window_days = MultipleChoiceField(
        label="On",
        choices=[(day, day.capitalize()) for day in DAYS],
        widget=CheckboxSelectMultiple,
        required=False,
        error_messages={
            "invalid_choice": "%(value)s is no day. The days are mon, tue, wed, thu, fri, sat, sun."
        },
    )
    window_begins = TypedField(Clock(what=LABELS["window_begins"], label="From"), required=False)
    window_ends = TypedField(
        Clock(
            what=LABELS["window_ends"],
            label="Until",
            hint="before it begins: on the day after; alike: the whole day",
        ),
        required=False,
    )
    window_zone = TypedField(
        Text(
            what=LABELS["window_zone"],
            label="By the clock of",
            hint="Europe/Berlin, UTC",
            limit=64,
        ),
        required=False,
    )
    rate = TypedField(
        Number(
            what=LABELS["rate"],
            label="Attempts a second",
            low=BOUNDS["rate"][0],
            high=BOUNDS["rate"][1],
        ),
        required=False,
    )
    parallelism = _count("parallelism", "Handlers at once")
    weight = _count("weight", "Weight")
    batch = _count("batch", "Claimed at once")
    lease_seconds = _count("lease_seconds", "Lease, seconds")
    lock_at_least_seconds = _count("lock_at_least_seconds", "Lock held at least, seconds")
    reason = ReasonField()

    def __init__(
        self, data: Any = None, *, scope: Scope, policy: RetryPolicy | None, policies: Policies
    ) -> None:
        super().__init__(data, initial=_initial(policy))
        self.scope = scope
        self.fields["version"].required = policy is not None
        if not scope.is_all:
            del self.fields["lock_at_least_seconds"]
        self._add_inherited_values(scope, policies)

    @property
    def is_trial(self) -> bool:
        return self.data.get("do") == "try"

    @property
    def policy_values(self) -> dict[str, Any]:
        """The policy as the service takes it."""
        data = self.cleaned_data
        values = {name: data.get(name) for name in COLUMNS if name not in WINDOW}
        return values | self._window()

    @property
    def limits(self) -> list[BoundField]:
        """The limits, without the one on retries."""
        names = ("rate", "parallelism", "weight", "batch", "lease_seconds", "lock_at_least_seconds")
        return [self[name] for name in names if name in self.fields]

    def clean(self) -> dict[str, Any]:
        if self.is_trial:
            self.errors.pop("reason", None)
            self.errors.pop("version", None)
        try:
            check_values(self.scope, self.policy_values)
        except InvalidPolicy as refusal:
            self.refuse(refusal)
        return self.cleaned_data

    def refuse(self, refusal: InvalidPolicy) -> None:
        """Show the service's problems, each beside its field."""
        for name, sentence in refusal.problems:
            if name not in self.errors:  # an unreadable value has its error already
                self.add_error(name if name in self.fields else None, sentence)

    def _window(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("window") == "always":
            return window_columns(ALWAYS)
        if data.get("window") != "hours":
            return dict.fromkeys(WINDOW)
        days = ",".join(data.get("window_days", ()))
        return {name: data.get(name) for name in WINDOW} | {"window_days": days}

    def _add_inherited_values(self, scope: Scope, policies: Policies) -> None:
        """Show the inherited value of each field that is left empty."""
        policy = policies.without(scope).of_scope(scope)
        value_words = words.values(policy)
        for name in (*_SHOWN, "enabled", "backoff", "window"):
            if name in self.fields:
                empty = f"Empty: {value_words[name]}, from {words.source_words(policy.sources[name])}"
                self.fields[name].help_text = f"{empty}. {self.fields[name].help_text}".strip(" .")


def _initial(policy: RetryPolicy | None) -> dict[str, Any]:
    if policy is None:
        return {"version": 0, "window_zone": ""}
    values: dict[str, Any] = {name: getattr(policy, name) for name in COLUMNS}
    window = window_of(policy)
    values["window"] = "" if window is None else "always" if window.is_always else "hours"
    if window is not None and window.is_always:
        values |= dict.fromkeys(WINDOW)
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

    until = TypedField(
        Until(
            what="The end",
            label="Until",
            hint="8h, 3d, a date or a time in UTC; empty: until somebody resumes it",
        ),
        required=False,
    )
    reason = ReasonField()

    def __init__(self, *arguments: Any, is_scoped: bool = True, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.is_scoped = is_scoped
        for name in ("event_type", "category", "group") if is_scoped else ():
            self.fields[name].widget = HiddenInput()

    def clean(self) -> dict[str, Any]:
        if not self.is_scoped and not self.errors and self.scope.is_all:
            self.add_error("event_type", "Say which: an event type, a category, or a failure group.")
        return self.cleaned_data


class ResumeForm(PauseForm):
    """The scope to resume, and the reason."""

    until = None  # type: ignore[assignment]


class RunNowForm(ConsoleForm):
    """The reason for a run now."""

    ids = "confirm"

    reason = ReasonField()


class BreakerForm(ConsoleForm):
    """The breaker, and the reason."""

    ids = "confirm"

    key = TypedField(
        Text(
            what="The breaker",
            label="Breaker",
            hint="type:order.created, or dependency:billing",
            limit=LONGEST_KEY,
        )
    )
    reason = ReasonField()


class HoldForm(BreakerForm):
    """The state in which it is held, and until when."""

    field_order = ("key", "held", "until", "reason")

    held = TypedField(
        Choice(
            what="How it is held",
            label="Hold it",
            choices=[
                ("open", "open: its handlers do not run"),
                ("closed", "closed: they run, whatever happens"),
            ],
        )
    )
    until = TypedField(
        Until(what="The end", label="Until", hint="2h, 1d, a date or a time in UTC; 31 days at most")
    )


class TakeOverForm(RunNowForm):
    """The reason to end the run of a dead worker."""
