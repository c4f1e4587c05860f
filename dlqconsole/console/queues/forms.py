"""The forms of a queue: its policy, a new one, and the confirmation of an action."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import Field, HiddenInput, TextInput

from dlqconsole.console.parts.fields import (
    ChoiceField,
    CountField,
    MomentField,
    NumberField,
    PlainTextField,
    ReasonField,
    SwitchField,
)
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.console.parts.typed_count import TypedCount
from dlqconsole.core.errors import InvalidQueue
from dlqconsole.engine.models.queues import NotifyMode, Retention
from dlqconsole.engine.queues.policy import FIELDS, LONGEST_NAME, NUMBERS, check_new_name, words

type Choices = list[tuple[str, str]]

_LONGEST_FROM = 255  # plain SQL may have named a queue so
_FLAGS = {"yes": True, "no": False}
_GROUPS = [("yes", "One message at a time, in order"), ("no", "Only a label")]
_DURABILITY = [("no", "Logged"), ("yes", "Unlogged: faster, and gone after a crash of the database")]


def _number(name: str, label: str, hint: str = "", **options: Any) -> Field:
    kind, low, high = NUMBERS[name]
    field: Any = CountField if kind is int else NumberField
    look = {"label": label, "help_text": hint, "show_hidden_initial": True}
    number_field: Field = field(what=words(name), low=low, high=high, **look, **options)
    return number_field


def _choice(name: str, label: str, choices: Choices, hint: str = "", **options: Any) -> Field:
    look = {"label": label, "help_text": hint, "show_hidden_initial": True}
    return ChoiceField(what=words(name), choices=choices, **look, **options)


class QueuePolicyForm(ConsoleForm):
    """A queue's policy. Each field carries along the value that the person saw."""

    ids = "policy"

    max_retries = _number("max_retries", "Retries on the queue", "then it becomes a dead letter")
    lease_seconds = _number(
        "lease_seconds", "Lease, seconds", "how long a consumer holds a message without a sign of life"
    )
    backoff_base_seconds = _number("backoff_base_seconds", "First delay, seconds", "before the first retry")
    backoff_factor = _number("backoff_factor", "Each delay times", "1 keeps it the same")
    backoff_cap_seconds = _number("backoff_cap_seconds", "Longest delay, seconds")
    backoff_jitter = _number("backoff_jitter", "Jitter", "the share of a delay that is drawn by lot, 0 to 1")
    retention = _choice("retention", "Completed messages are", Retention.choices)
    archive_days = _number(
        "archive_days", "Archived for, days", "what is archived from now on; what is there keeps its time"
    )
    notify = _choice("notify", "Consumers are woken", NotifyMode.choices)
    rate_limit = _number(
        "rate_limit", "Claims a second", "by all consumers together; empty for no limit", required=False
    )
    fifo_groups = _choice("fifo_groups", "Groups", _GROUPS, coerce=_FLAGS.get)
    unlogged = _choice(
        "unlogged",
        "Durability",
        _DURABILITY,
        "can only be changed while the queue is empty",
        coerce=_FLAGS.get,
    )
    reason = ReasonField()

    def __init__(self, data: Any = None, *, policy: Mapping[str, Any]) -> None:
        super().__init__(data, initial={name: _text(policy[name]) for name in FIELDS})

    def add_initial_prefix(self, field_name: str) -> str:
        """The value that the person saw is posted as was_max_retries."""
        return f"was_{field_name}"

    def clean(self) -> dict[str, Any]:
        """Keep only fields that differ from what the person saw: another person's change is not undone."""
        for name in FIELDS:
            if not self._was_changed(name):
                self.errors.pop(name, None)
                self.cleaned_data.pop(name, None)
        return self.cleaned_data

    @property
    def policy(self) -> dict[str, Any]:
        """The values that the person changed."""
        return {name: self.cleaned_data[name] for name in FIELDS if name in self.cleaned_data}

    @property
    def parts(self) -> list[Any]:
        """The fields of the policy, without the reason."""
        return [self[name] for name in self.fields if name in FIELDS]

    def _was_changed(self, name: str) -> bool:
        saw = self.data.get(self.add_initial_prefix(name), "")
        return name in self.data and self.data[name].strip() != saw


class ChangeForm(TypedCount, QueuePolicyForm):
    """The policy of an existing queue, and the choice to shorten the time of archived messages."""

    shorten_archived = SwitchField(label="Apply these archive days to what is archived already, too")
    counted_until = MomentField(required=False, widget=HiddenInput)

    def confirm(self, count: int) -> None:
        """Ask for the count of shortened messages, unless it was typed or is 0."""
        if count:
            self.check_typed(count)
            self.ask_for(count)


class NewQueueForm(QueuePolicyForm):
    """A new queue."""

    name = PlainTextField(
        what="The name",
        limit=LONGEST_NAME,
        help_text=f"Letters, digits, dots, dashes and underscores; {LONGEST_NAME} at most",
        error_messages={"required": "Give the queue a name."},
    )
    field_order = ["name"]

    def clean_name(self) -> str:
        try:
            return check_new_name(self.cleaned_data["name"])
        except InvalidQueue as problem:
            raise ValidationError(str(problem)) from problem


class FromForm(ConsoleForm):
    """The start of the list of queues."""

    ids = "from"

    field_order = ["from"]

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        look = TextInput(attrs={"autocomplete": "off", "placeholder": "orders"})
        # a keyword of Python cannot be an attribute of the class
        self.fields["from"] = PlainTextField(
            what="The name", label="From the name", limit=_LONGEST_FROM, required=False, widget=look
        )

    @property
    def first(self) -> str:
        """The first name; empty without one, or if it is not valid."""
        return self.cleaned_data["from"] if self.is_valid() else ""


class ConfirmForm(ConsoleForm):
    """The reason to pause, resume or drop a queue."""

    ids = "confirm"

    reason = ReasonField()


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) and value.is_integer() and value < 1e6 else str(value)
