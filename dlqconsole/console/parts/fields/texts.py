"""Texts beside the declared ones: reasons, and JSON kept exactly; and the box for yes or no."""

from typing import Any

from django.forms import BooleanField, Textarea

from dlqconsole.console.parts.fields.typed import ShownAgain, TypedField
from dlqconsole.console.parts.fields.widgets import YesBox
from dlqconsole.processing.inputs.fields import Text
from dlqconsole.processing.inputs.reasons import NO_REASON, REASON_LIMIT


class ReasonField(TypedField):
    """The reason, for the audit log. Required, unless said otherwise."""

    def __init__(self, *, no_reason: str = NO_REASON, **options: Any) -> None:
        reason = Text(what="The reason", limit=REASON_LIMIT, no_value=no_reason, lines=2)
        super().__init__(reason, **{"label": "Why? It goes into the audit."} | options)


class SwitchField(BooleanField):
    """On or off."""

    widget = YesBox

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"required": False} | options)


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
