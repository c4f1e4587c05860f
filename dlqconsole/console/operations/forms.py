"""The forms before an operation is made, approved or undone: the reason, and the count."""

from typing import Any
from uuid import UUID

from django.forms import HiddenInput, Textarea, TextInput
from django.http import QueryDict
from django.utils.translation import gettext as _

from dlqconsole.console.operations.operation_intent import OperationIntent
from dlqconsole.console.parts.fields import JsonTextField, ReasonField, RequestKeyField, TypedField
from dlqconsole.console.parts.forms import MOST, ConsoleForm, TypedCount
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import Rows
from dlqconsole.processing.inputs.fields import WholeNumber
from dlqconsole.processing.patching import RECIPE_LIMIT

_COUNT = WholeNumber(high=MOST)


class ReasonForm(ConsoleForm):
    """The reason to go on in spite of a halt."""

    ids = "confirm"

    reason = ReasonField(label=gettext_lazy("Why? It goes into the timeline and the audit."))


class KeyForm(ConsoleForm):
    """A form that makes one operation, however often it is sent."""

    request_key = RequestKeyField()


class UndoForm(KeyForm):
    """The reason for an undo; it may stay empty."""

    reason = ReasonField(required=False)


class ApprovalForm(TypedCount, ConsoleForm):
    """The count that a person types who approves their own operation because nobody else can."""


class RecipeForm(ConsoleForm):
    """A change of many payloads, as JSON that its own reader understands."""

    ids = "recipe"

    recipe = JsonTextField(
        limit=RECIPE_LIMIT,
        required=False,
        label=gettext_lazy("Recipe: a JSON Patch (RFC 6902)"),
        help_text=(
            gettext_lazy(
                "add, remove, replace, move, copy and test; at most 100 operations. If a test fails,"
                " that dead letter stays as it is. Other values keep every digit. The identity of a"
                " CloudEvent must not change."
            )
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
    """The reason to see the payloads of a preview."""

    ids = "reveal"

    because = ReasonField(
        label=gettext_lazy("Why do you need to see them? It goes into the audit."),
        no_reason=gettext_lazy("Say why you need to see them: the audit log keeps the reason."),
        widget=TextInput(attrs={"autocomplete": "off", "form": "recipe-form"}),
    )


class RequestForm(TypedCount, KeyForm):
    """The reason, and the counts of the page; the one on its button is typed if the kind needs it."""

    ids = "confirm"

    reason = ReasonField(label=gettext_lazy("Why? It goes into the receipt and the audit."))
    expected = TypedField(_COUNT, required=False, widget=HiddenInput)
    # the number of these that it will act on
    acts_on = TypedField(_COUNT, required=False, widget=HiddenInput)

    def __init__(self, intent: OperationIntent, data: QueryDict, *, is_sent: bool) -> None:
        # a page that is only reloaded keeps the typed values, and shows no errors
        super().__init__(data if is_sent else None, initial={"reason": data.get("reason", "")})
        self.intent = intent

    def clean(self) -> dict[str, Any]:
        """Check that the typed count is the one on the button."""
        lost_counts = {name for name in ("expected", "acts_on") if self.errors.pop(name, None)}
        if lost_counts or (self.intent.needs_typed_count and self._acts_on() is None):
            self.add_error(None, _("The form lost the count that it showed. Look at it again, then confirm."))
        elif self.intent.needs_typed_count:
            self.check_typed(self._acts_on())
        return self.cleaned_data

    @property
    def key(self) -> UUID | None:
        """The key of a form that was sent: the same form, corrected, is still the same operation."""
        return self.cleaned_data.get("request_key") if self.is_bound else None

    def request(self, options: dict[str, Any]) -> OperationRequest:
        """The request of a valid form."""
        values = self.cleaned_data
        return OperationRequest(
            self.intent.kind.name,
            self.intent.scope,
            values["reason"],
            options,
            seen=self._page_count(),
            acts_on=self._acts_on(),
            is_told=True,
            typed_count=values["typed_count"],
            key=values["request_key"],
        )

    def _acts_on(self) -> int | None:
        """The count on the button; all selected ones if the form has none."""
        count: int | None = self.cleaned_data.get("acts_on")
        page_count = self._page_count()
        return page_count.value if count is None and page_count else count

    def _page_count(self) -> Count | None:
        """The count on the page; None if the form came without one."""
        count = self.cleaned_data.get("expected")
        if count is not None:
            return Count(count, is_least=self.data.get("expected_exact") == "False")
        return Count(len(self.intent.scope.ids)) if isinstance(self.intent.scope, Rows) else None
