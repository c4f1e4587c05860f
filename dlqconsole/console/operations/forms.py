"""What is asked before an operation is made, approved or taken back: why, and how many are meant."""

from typing import Any
from uuid import UUID

from django.forms import HiddenInput
from django.http import QueryDict

from dlqconsole.console.operations.asked_operation import AskedOperation
from dlqconsole.console.parts.fields import CountField, ReasonField, RequestKeyField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.operations.request import OperationRequest
from dlqconsole.operations.scope import Rows

MOST_ITEMS = 2**31 - 1


class KeyForm(ConsoleForm):
    """A form that makes one operation, however often it is sent."""

    request_key = RequestKeyField()


class UndoForm(KeyForm):
    """Why an operation is taken back; it may stay empty."""

    reason = ReasonField(required=False)


class ApprovalForm(ConsoleForm):
    """How many a person approves who asked for them and is alone."""

    typed_count = CountField(what="The count", high=MOST_ITEMS, required=False)


class RequestForm(KeyForm):
    """Why, and the count that the page showed; typed as well where the kind wants it."""

    ids = "confirm"

    reason = ReasonField(label="Why? It goes into the receipt and the audit.")
    typed_count = CountField(what="The count", high=MOST_ITEMS, required=False)
    expected = CountField(high=MOST_ITEMS, required=False, widget=HiddenInput)

    def __init__(self, asked: AskedOperation, posted: QueryDict, *, is_sent: bool) -> None:
        # what is only looked at again keeps what was typed, and complains of nothing
        super().__init__(posted if is_sent else None, initial={"reason": posted.get("reason", "")})
        self.asked = asked

    def clean(self) -> dict[str, Any]:
        """The count that had to be typed is the one that was seen."""
        self.errors.pop("expected", None)
        expected = self.cleaned_data.get("expected")
        if self.asked.needs_typed_count and self.cleaned_data.get("typed_count") != (expected or 0):
            self.errors.pop("typed_count", None)
            number = "the count" if expected is None else expected
            self.add_error("typed_count", f"Type {number} to confirm that all of them are meant.")
        return self.cleaned_data

    @property
    def key(self) -> UUID | None:
        """The key that was sent: the same form, corrected, is still the same operation."""
        return self.cleaned_data.get("request_key") if self.is_bound else None

    def ask_for(self, count: int) -> None:
        """Say in the field's label what is to be typed."""
        self.fields["typed_count"].label = f"Type {count} to show that you mean all of them"
        self.fields["typed_count"].widget.attrs["required"] = True

    def request(self, options: dict[str, Any]) -> OperationRequest:
        """What the person asks for, once it is valid."""
        typed = self.cleaned_data
        return OperationRequest(
            self.asked.kind.name,
            self.asked.scope,
            typed["reason"],
            options,
            seen=self._seen(),
            typed_count=typed["typed_count"],
            key=typed["request_key"],
        )

    def _seen(self) -> Count | None:
        """The count on the page; None where the form came without one."""
        expected = self.cleaned_data.get("expected")
        if expected is not None:
            return Count(expected, approximate=self.data.get("expected_exact") == "False")
        return Count(len(self.asked.scope.ids)) if isinstance(self.asked.scope, Rows) else None
