"""What is asked before an operation is made, approved or taken back: why, and how many are meant."""

from typing import Any
from uuid import UUID

from django.forms import HiddenInput, Textarea, TextInput
from django.http import QueryDict

from dlqconsole.console.operations.asked_operation import AskedOperation
from dlqconsole.console.parts.fields import CountField, JsonTextField, ReasonField, RequestKeyField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.console.parts.typed_count import MOST, TypedCount
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.reach import Reach
from dlqconsole.operations.request import OperationRequest
from dlqconsole.operations.scope import Rows
from dlqconsole.processing.patching import RECIPE_LIMIT


class KeyForm(ConsoleForm):
    """A form that makes one operation, however often it is sent."""

    request_key = RequestKeyField()


class UndoForm(KeyForm):
    """Why an operation is taken back; it may stay empty."""

    reason = ReasonField(required=False)


class ApprovalForm(TypedCount, ConsoleForm):
    """How many a person approves who asked for them and is alone."""


class RecipeForm(ConsoleForm):
    """A change of many payloads, as JSON that its own reader understands."""

    ids = "recipe"

    recipe = JsonTextField(
        limit=RECIPE_LIMIT,
        required=False,
        label="Recipe: a JSON Patch (RFC 6902)",
        help_text=(
            "add, remove, replace, move, copy and test; at most 100 operations. Where a test fails, that dead"
            " letter stays as it is. What the recipe does not name keeps every digit. Who a CloudEvent is may"
            " not change."
        ),
        widget=Textarea(
            attrs={
                "class": "mono",
                "rows": 7,
                "spellcheck": "false",
                "autocapitalize": "off",
                "required": True,
            }
        ),
    )


class RecipeRevealForm(ConsoleForm):
    """Why somebody needs to see the payloads of a preview."""

    ids = "reveal"

    because = ReasonField(
        label="Why do you need to see them? It goes into the audit.",
        no_reason="Say why you need to see them: the audit log keeps the reason.",
        widget=TextInput(attrs={"autocomplete": "off", "form": "recipe-form"}),
    )


class RequestForm(TypedCount, KeyForm):
    """Why, and the counts that the page showed; that on its button is typed where the kind wants it."""

    ids = "confirm"

    reason = ReasonField(label="Why? It goes into the receipt and the audit.")
    expected = CountField(high=MOST, required=False, widget=HiddenInput)
    # how many of these it will act on
    acts_on = CountField(high=MOST, required=False, widget=HiddenInput)

    def __init__(self, asked: AskedOperation, posted: QueryDict, *, is_sent: bool) -> None:
        # what is only looked at again keeps what was typed, and complains of nothing
        super().__init__(posted if is_sent else None, initial={"reason": posted.get("reason", "")})
        self.asked = asked

    def clean(self) -> dict[str, Any]:
        """The count that had to be typed is the one on the button."""
        lost = {name for name in ("expected", "acts_on") if self.errors.pop(name, None)}
        if lost or (self.asked.needs_typed_count and self._acts_on() is None):
            self.add_error(None, "The form lost the count that it showed. Look at it again, then confirm.")
        elif self.asked.needs_typed_count:
            self.check_typed(self._acts_on())
        return self.cleaned_data

    @property
    def key(self) -> UUID | None:
        """The key that was sent: the same form, corrected, is still the same operation."""
        return self.cleaned_data.get("request_key") if self.is_bound else None

    def request(self, options: dict[str, Any], reach: Reach) -> OperationRequest:
        """What the person asks for, once it is valid."""
        typed = self.cleaned_data
        return OperationRequest(
            self.asked.kind.name,
            self.asked.scope,
            typed["reason"],
            options,
            reach=reach,
            seen=self._seen(),
            acts_on=self._acts_on(),
            is_told=True,
            typed_count=typed["typed_count"],
            key=typed["request_key"],
        )

    def _acts_on(self) -> int | None:
        """The count on the button; all that were selected where the form does not say."""
        found: int | None = self.cleaned_data.get("acts_on")
        seen = self._seen()
        return seen.value if found is None and seen else found

    def _seen(self) -> Count | None:
        """The count on the page; None where the form came without one."""
        expected = self.cleaned_data.get("expected")
        if expected is not None:
            return Count(expected, is_least=self.data.get("expected_exact") == "False")
        return Count(len(self.asked.scope.ids)) if isinstance(self.asked.scope, Rows) else None
