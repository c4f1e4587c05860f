"""The base of every form: how a field is shown, and its problems. Forms that stand on several pages."""

from functools import cached_property
from typing import Any, ClassVar, Self

from django.conf import settings
from django.forms import Form, TextInput
from django.http import HttpRequest
from django.utils.translation import gettext as _

from dlqconsole.console.masking.texts import BROUGHT_OUT
from dlqconsole.console.parts.fields import ReasonField, TypedField, inputs
from dlqconsole.console.rendering import Renderer
from dlqconsole.engine import gate
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field, WholeNumber
from dlqconsole.processing.inputs.times import Day
from dlqconsole.processing.masking.reversible import ReversibleMasker

MOST = 2**31 - 1


class ConsoleRenderer(Renderer):
    """A label, the input, its hint, and its problem beside it."""

    field_template_name = "console/parts/field.html"


class ConsoleForm(Form):
    """A form whose fields show the typed text again, and whose problems are sentences."""

    default_renderer = ConsoleRenderer
    # the prefix of the ids of the inputs: several forms may stand on one page
    ids = "id"
    # declared fields; they stand before those of the class
    declarations: ClassVar[tuple[Field, ...]] = ()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", "auto_id": f"{self.ids}-%s"} | options)
        self.fields = inputs(self.declarations) | self.fields

    def get_initial_for_field(self, field: Any, field_name: str) -> Any:
        """The initial value; personal data in it is replaced by masks."""
        value = super().get_initial_for_field(field, field_name)
        return self._marks.text(value) if settings.DLQ_MASKING and type(value) is str else value

    def _clean_fields(self) -> None:
        """Replace masks that a person left in a text by the values behind them."""
        super()._clean_fields()  # type: ignore[misc]
        if any("‹" in value for value in self.cleaned_data.values() if isinstance(value, str)):
            for value in self.initial.values():
                self._marks.text(value if isinstance(value, str) else "")
            for name, value in list(self.cleaned_data.items()):
                if isinstance(value, str):
                    self._put_back(name, value)

    def _put_back(self, name: str, value: str) -> None:
        """Set the plain value, or add an error if the text around a mask would reveal its value."""
        plain = self._marks.put_back(value)
        for mark in self._marks.exposed_marks(value, self._marks.text(plain)):
            self.add_error(name, BROUGHT_OUT.format(mark=mark, otherwise=_("type the value")))
            return
        self.cleaned_data[name] = plain

    @cached_property
    def _marks(self) -> ReversibleMasker:
        return gate.marks()

    @classmethod
    def from_request(cls, request: HttpRequest, **options: Any) -> Self:
        """The form with the posted values; unbound for a GET."""
        return cls(request.POST if request.method == "POST" else None, **options)

    def read(self) -> dict[str, Any]:
        """The values, for a form without a page of its own. Raises InvalidInput with all sentences."""
        if not self.is_valid():
            raise InvalidInput(" ".join(self.sentences))
        return self.cleaned_data

    @property
    def status(self) -> int:
        """The HTTP status of the page with this form."""
        return 422 if self.errors else 200

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Each sentence with the id of its input, or "" if it has none; empty when unbound."""
        return [
            (str(sentence), "" if name not in self.fields or self[name].is_hidden else self[name].auto_id)
            for name, sentences in self.errors.items()
            for sentence in sentences
        ]

    @property
    def sentences(self) -> list[str]:
        """The sentences of all problems, without the inputs."""
        return [sentence for sentence, _input in self.problems]


class DaysForm(ConsoleForm):
    """Both days may be left empty."""

    since = TypedField(
        Day(what=gettext_lazy("The first day"), label=gettext_lazy("From day")), required=False
    )
    until = TypedField(Day(what=gettext_lazy("The last day"), label=gettext_lazy("To day")), required=False)

    def clean(self) -> dict[str, Any]:
        since, until = (self.cleaned_data.get(name) for name in ("since", "until"))
        if since and until and since > until:
            self.add_error(
                "until",
                _("The first day, {since}, is after the last, {until}.").format(since=since, until=until),
            )
        return self.cleaned_data


class TypedCount(Form):
    """The field of the typed count; the form itself knows which number the person saw."""

    typed_count = TypedField(WholeNumber(what=gettext_lazy("The count"), high=MOST), required=False)

    def check_typed(self, count: int | None) -> None:
        """Refuse a typed number other than the count; None: the form came without one."""
        if self.cleaned_data.get("typed_count") != (count or 0):
            self.errors.pop("typed_count", None)
            number = _("the count") if count is None else f"{count:,}"
            self.add_error(
                "typed_count", _("Type {number} to confirm that all of them are meant.").format(number=number)
            )

    def ask_for(self, count: int | None) -> None:
        """Name the number to type in the field's label."""
        field = self["typed_count"]
        # a bound field has its label already: change the bound field
        number = _("the count") if count is None else f"{count:,}"
        field.label = _("Type {number} to show that you mean all of them").format(number=number)
        field.field.widget.attrs["required"] = True


class RevealForm(ConsoleForm):
    """The reason to see the data unmasked."""

    ids = "reveal"

    reason = ReasonField(
        label=gettext_lazy("Why do you need to see it? It goes into the audit."),
        no_reason=gettext_lazy("Say why you need to see it: the audit log keeps the reason."),
        widget=TextInput(attrs={"autocomplete": "off"}),
    )
