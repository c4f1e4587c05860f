"""The forms that edit a dead letter or restore an earlier version, and the contexts of their pages."""

import re
from typing import Any
from uuid import uuid4

from django.forms import Field, HiddenInput, Textarea, ValidationError, Widget
from django.http import QueryDict
from django.utils.translation import gettext as _

from dlqconsole.console.dead_letters.edit_texts import EditTexts
from dlqconsole.console.parts.fields import JsonTextField, ReasonField, TypedField, VersionField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.dead_letters.editing import Draft, Editable
from dlqconsole.engine.dead_letters.excerpts import SHOWN
from dlqconsole.engine.gate import Shown
from dlqconsole.hosting.stored_text import stored_text
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing import edits
from dlqconsole.processing.edits import EditRefused
from dlqconsole.processing.inputs.fields import WholeNumber
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.strict_json import OK

EMPTY_ROWS = 2
STALE = gettext_lazy(
    "The form lost the version that it was opened with. Open it again; what you typed is still below."
)
CHOOSE = gettext_lazy("Choose the version to go back to.")
_EDITOR = {
    "class": "code editor",
    "rows": 18,
    "spellcheck": "false",
    "autocapitalize": "off",
    "autocomplete": "off",
    "wrap": "off",
    "autofocus": True,
}

# as the reader of JSON names a place
_PLACE = re.compile("line ([0-9]+), column ([0-9]+)")
# as a schema's objection begins
_POINTER = re.compile(r"(/\S*): ")

type Rows = list[tuple[str, str]]


class _HeaderRows(Widget):
    """Two inputs a header: its name and its value."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Rows:
        query = data if isinstance(data, QueryDict) else QueryDict()
        names = [name.strip() for name in query.getlist("header_name")]
        return list(zip(names, query.getlist("header_value"), strict=False))


class HeadersField(Field):
    """The headers that a person may change, by name; a row without a name is ignored."""

    widget = _HeaderRows

    def to_python(self, value: Rows | None) -> dict[str, str]:
        """Raises ValidationError if a name stands there twice."""
        headers: dict[str, str] = {}
        for name, text in value or []:
            if name in headers:
                raise ValidationError(
                    _("The header {name} stands there twice.").format(name=quoted(name, 60))
                )
            if name:
                headers[name] = text
        return headers


class EditForm(ConsoleForm):
    """A dead letter's payload and headers after the edit. Only saving needs a reason."""

    ids = "edit"

    version = VersionField(sentence=STALE)
    # as much as a form may bring: a long typed text must not be lost
    payload = JsonTextField(limit=2**32, required=False, widget=Textarea(attrs=_EDITOR))
    headers = HeadersField(required=False)
    reason = ReasonField(
        label=gettext_lazy("Why? It goes into the version and the audit."),
        widget=Textarea(attrs={"rows": 2, "autofocus": True}),
    )

    def __init__(self, data: Any = None, *, letter: Editable, texts: EditTexts) -> None:
        self.texts = texts
        rows = [(name, value) for name, value, is_fixed in texts.header_rows(letter) if not is_fixed]
        payload = Shown(texts.payload(letter) or "")
        super().__init__(data, initial={"version": letter.version, "payload": payload, "headers": rows})
        # else a browser would demand a reason from a person who only goes back to editing
        self.use_required_attribute = False

    @property
    def is_saving(self) -> bool:
        return self.data.get("step") in ("save", "revive")

    def clean(self) -> dict[str, Any]:
        if not self.is_saving:
            self.errors.pop("reason", None)
        return self.cleaned_data

    @property
    def rows(self) -> Rows:
        """The headers as they were typed; empty rows are left out."""
        return [row for row in self["headers"].value() if any(row)]

    @property
    def text(self) -> str:
        """The payload as it was typed."""
        return str(self["payload"].value())

    def as_stored(self) -> tuple[str, dict[str, str]]:
        """Payload and headers as typed, with the values behind the masks. Raises EditRefused."""
        return self.texts.put_back(self.cleaned_data["payload"], self.cleaned_data["headers"])

    def refuse(self, refusal: EditRefused) -> None:
        """Show beside the payload why it cannot be saved, and where: the page puts the caret there."""
        for problem in refusal.problems:
            self.add_error("payload", translated(problem))
        attributes = self.fields["payload"].widget.attrs
        if pointer := _POINTER.match(refusal.problems[0]):
            attributes["data-pointer"] = pointer[1]
        elif place := _PLACE.search(refusal.problems[0]):
            attributes |= {"data-line": place[1], "data-column": place[2]}


class VersionRestoreForm(ConsoleForm):
    """The version to restore, and why."""

    number = TypedField(
        WholeNumber(what=gettext_lazy("The version"), high=2**31 - 1, no_value=CHOOSE),
        widget=HiddenInput,
    )
    version = VersionField(sentence=CHOOSE)
    reason = ReasonField()

    def __init__(self, data: Any = None, *, number: object = "") -> None:
        # each version on the page has one of these
        super().__init__(data, initial={"number": number}, auto_id=f"version-{number}-%s")


def too_long(letter: Editable) -> bool:
    """Tell whether the payload is too long for a browser to edit."""
    return max(len(letter.text or ""), len(letter.raw or b""), len(letter.headers)) > SHOWN


def odd_headers(letter: Editable) -> bool:
    """Tell whether the headers are nested too deep, or hold numbers too odd, for a form."""
    try:
        edits.rows(letter.headers)
    except (TypeError, ValueError, RecursionError):
        return True
    return False


def form_page(letter: Editable, form: EditForm) -> dict[str, Any]:
    """The context of the form itself."""
    return {
        "step": "edit",
        "letter": letter,
        "form": form,
        "header_rows": [*form.rows, *[("", "")] * EMPTY_ROWS],
        "protected": [row[:2] for row in form.texts.header_rows(letter) if row[2]],
        "reveal": form.texts.reveal_state,
        "version": form.cleaned_data.get("version", letter.version) if form.is_bound else letter.version,
        "not_text": letter.shown is None,
        "payload_problem": "" if letter.payload.state == OK else stored_text(letter.payload.problem or ""),
    }


def check_page(letter: Editable, form: EditForm, draft: Draft) -> dict[str, Any]:
    """The context of the page that shows the change and asks for a reason."""
    texts, after = form.texts, editing.as_stored(draft.payload.json_text or "null")
    return {
        "step": "check",
        "letter": letter,
        "form": form,
        "payload_difference": texts.difference(texts.payload(letter) or "", texts.json(after)),
        "header_difference": texts.difference(
            texts.json(letter.headers), texts.json(editing.as_stored(draft.headers))
        ),
        "keeps_bytes": draft.payload.raw is not None,
        "request_key": uuid4(),
    }


def conflict_page(theirs: Editable, form: EditForm, sentence: str) -> dict[str, Any]:
    """The context of the page for the slower of two people: theirs beside ours, ours still in the form."""
    form.add_error(None, sentence)
    texts, stored = form.texts, form.texts.payload(theirs) or ""
    return form_page(theirs, form) | {
        "step": "conflict",
        "version": theirs.version,
        "theirs": Shown(stored),
        "theirs_to_ours": texts.difference(stored, texts.text(form.text)),
        "headers_to_ours": texts.difference(_header_lines(texts, theirs), _lines(form.rows)),
    }


def _header_lines(texts: EditTexts, letter: Editable) -> str:
    return _lines([(name, value) for name, value, is_fixed in texts.header_rows(letter) if not is_fixed])


def _lines(rows: Rows) -> str:
    return "\n".join(f"{name}: {value}" for name, value in sorted(rows))
