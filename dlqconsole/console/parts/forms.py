"""What every form of the console shares: how a field is shown, and what is said when something is wrong."""

from typing import Any, Self

from django.forms import Form
from django.forms.renderers import TemplatesSetting
from django.http import HttpRequest

from dlqconsole.processing.inputs import InvalidInput


class ConsoleRenderer(TemplatesSetting):
    """A label, the input, its hint, and its problem beside it."""

    field_template_name = "console/parts/field.html"


class ConsoleForm(Form):
    """A form whose fields show what was typed, and whose problems are sentences."""

    default_renderer = ConsoleRenderer
    # what the ids of the inputs begin with: several forms may stand on one page
    ids = "id"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"label_suffix": "", "auto_id": f"{self.ids}-%s"} | options)

    @classmethod
    def posted(cls, request: HttpRequest, **options: Any) -> Self:
        """The form with what was posted; as it is first opened where nothing was."""
        return cls(request.POST if request.method == "POST" else None, **options)

    def read(self) -> dict[str, Any]:
        """The values, where a form has no page of its own. Raises InvalidInput with all sentences."""
        if not self.is_valid():
            raise InvalidInput(" ".join(self.sentences))
        return self.cleaned_data

    @property
    def status(self) -> int:
        """How the page with this form is answered."""
        return 422 if self.errors else 200

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Each sentence with the id of its input, or "" where there is none to go to; none when unbound."""
        return [
            (str(sentence), "" if name not in self.fields or self[name].is_hidden else self[name].auto_id)
            for name, sentences in self.errors.items()
            for sentence in sentences
        ]

    @property
    def sentences(self) -> list[str]:
        """What is wrong, without saying where."""
        return [sentence for sentence, _input in self.problems]
