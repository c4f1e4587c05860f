"""The forms of a queue: its policy, a new one, and the confirmation of an action."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.forms import HiddenInput
from django.utils.translation import gettext as _

from dlqconsole.console.parts.fields import Moment, ReasonField, SwitchField, TypedField
from dlqconsole.console.parts.forms import ConsoleForm, TypedCount
from dlqconsole.core.errors import InvalidFilter, InvalidQueue
from dlqconsole.core.messages.queues import LONGEST_NAME
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.queues.policy import FIELDS, POLICY, check_new_name
from dlqconsole.hosting.wording import format_lazy, gettext_lazy, translated
from dlqconsole.processing.inputs.fields import Text, WholeNumber

LONGEST = 100


class QueuePolicyForm(ConsoleForm):
    """A queue's policy. Each field carries along the value that the person saw."""

    ids = "policy"
    declarations = POLICY

    reason = ReasonField()

    def __init__(self, data: Any = None, *, policy: Mapping[str, Any]) -> None:
        super().__init__(data, initial={name: policy[name] for name in FIELDS})
        for name in FIELDS:
            self.fields[name].show_hidden_initial = True

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

    shorten_archived = SwitchField(
        label=gettext_lazy("Apply these archive days to what is archived already, too")
    )
    counted_until = TypedField(Moment(), required=False, widget=HiddenInput)

    def confirm(self, count: int) -> None:
        """Ask for the count of shortened messages, unless it was typed or is 0."""
        if count:
            self.check_typed(count)
            self.ask_for(count)


class NewQueueForm(QueuePolicyForm):
    """A new queue."""

    name = TypedField(
        Text(
            what=gettext_lazy("The name"),
            hint=format_lazy(
                gettext_lazy("{longest_name} characters at most, and no colon"), longest_name=LONGEST_NAME
            ),
            limit=LONGEST_NAME,
            no_value=gettext_lazy("Give the queue a name."),
        )
    )

    def clean_name(self) -> str:
        try:
            return check_new_name(self.cleaned_data["name"])
        except InvalidQueue as problem:
            raise ValidationError(translated(problem)) from problem


class FromForm(ConsoleForm):
    """The start of the list of queues."""

    ids = "from"

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        # a keyword of Python cannot be an attribute of the class
        name = Text(what=_("The name"), label=_("From the name"), limit=LONGEST_NAME, placeholder="orders")
        self.fields["from"] = TypedField(name, required=False)

    @property
    def first(self) -> str:
        """The first name; empty without one, or if it is not valid."""
        return self.cleaned_data["from"] if self.is_valid() else ""


class ConfirmForm(ConsoleForm):
    """The reason to pause, resume or drop a queue."""

    ids = "confirm"

    reason = ReasonField()


def _moment(label: str, example: str) -> TypedField:
    text = Text(what=label, label=label, limit=LONGEST, placeholder=example)
    return TypedField(text, required=False)


class ArchiveForm(ConsoleForm):
    """One message, or those of a period; times are written as in the list's filter."""

    ids = "ar"

    id = TypedField(
        WholeNumber(what=gettext_lazy("The message id"), label=gettext_lazy("Message id"), low=1),
        required=False,
    )
    since = _moment(gettext_lazy("Archived since"), "2h, 2024-05-01")
    until = _moment(gettext_lazy("Archived before"), "1h, 2024-05-02 13:00")

    def clean_since(self) -> str:
        return self._check_time("since")

    def clean_until(self) -> str:
        return self._check_time("until")

    @property
    def criteria(self) -> dict[str, str]:
        """The valid values, as in an address."""
        self.is_valid()
        return {name: str(value) for name, value in self.cleaned_data.items() if value}

    def _check_time(self, name: str) -> str:
        text: str = self.cleaned_data[name]
        try:
            DeadLetterFilter.parse({name: text})
        except InvalidFilter as refusal:
            raise ValidationError(refusal.problems) from refusal
        return text
