"""The base of every form of the console: how a field is shown, and its problems."""

from functools import cached_property
from typing import Any, ClassVar, Self

from django.conf import settings
from django.forms import Form
from django.http import HttpRequest

from dlqconsole.console.masking.texts import BROUGHT_OUT
from dlqconsole.console.parts.fields import inputs
from dlqconsole.console.rendering import Renderer
from dlqconsole.engine import gate
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Field
from dlqconsole.processing.masking.reversible import ReversibleMasker


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
            self.add_error(name, BROUGHT_OUT.format(mark=mark, otherwise="type the value"))
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
