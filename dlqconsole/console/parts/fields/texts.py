"""Texts: plain ones, reasons, and JSON kept exactly."""

from typing import Any

from django.forms import Textarea

from dlqconsole.console.parts.fields.typed import SHOWN, ShownAgain, TypedField
from dlqconsole.processing.inputs.plain_text import check_text
from dlqconsole.processing.inputs.reasons import NO_REASON, REASON_LIMIT, read_reason

# From this limit on a text is prose, not a name: TEXT_SHOWN characters of it are shown again at most.
LONG, TEXT_SHOWN = 1_000, 20_000


class PlainTextField(TypedField):
    """Text of at most ``limit`` characters, without NUL and halves of characters; "" when empty."""

    nothing = ""

    def __init__(self, *, limit: int, **options: Any) -> None:
        self.limit = limit
        # more than fits: a form that is sent back loses nothing of a text, and is refused again
        self.shown_limit = max(limit, TEXT_SHOWN if limit >= LONG else SHOWN) + 1
        super().__init__(**options)

    def read(self, text: str) -> str:
        text = text.replace("\r\n", "\n")  # as browsers send line ends
        check_text(text, self.what, self.limit)
        return text

    def widget_attrs(self, widget: Any) -> dict[str, Any]:
        return {} if widget.is_hidden else {"maxlength": str(self.limit)}


class ReasonField(PlainTextField):
    """The reason, for the audit log. Required, unless said otherwise."""

    widget = Textarea(attrs={"rows": 2})

    def __init__(self, *, no_reason: str = NO_REASON, **options: Any) -> None:
        options = {"label": "Why? It goes into the audit."} | options
        super().__init__(
            what="The reason", limit=REASON_LIMIT, error_messages={"required": no_reason}, **options
        )

    def read(self, text: str) -> str:
        return read_reason(text)


class JsonTextField(ShownAgain):
    """JSON as a person typed it, every character kept: its own reader reports errors."""

    widget = Textarea(attrs={"class": "code", "spellcheck": "false", "wrap": "off"})

    def __init__(self, *, limit: int, **options: Any) -> None:
        super().__init__(**options)
        self.shown_limit = limit

    def to_python(self, value: Any) -> str:
        """The text; a browser ends lines with CR LF, JSON people do not."""
        return "" if value is None else str(value).replace("\r\n", "\n")

    def prepare_value(self, value: Any) -> Any:
        return super().prepare_value(self.to_python(value))
