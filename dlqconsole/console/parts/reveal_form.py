"""The form beside masked data: it stands on several pages, and one view reads it."""

from django.forms import TextInput

from dlqconsole.console.parts.fields import ReasonField
from dlqconsole.console.parts.forms import ConsoleForm


class RevealForm(ConsoleForm):
    """The reason to see the data unmasked."""

    ids = "reveal"

    reason = ReasonField(
        label="Why do you need to see it? It goes into the audit.",
        no_reason="Say why you need to see it: the audit log keeps the reason.",
        widget=TextInput(attrs={"autocomplete": "off"}),
    )
