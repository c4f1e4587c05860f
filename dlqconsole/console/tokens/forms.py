"""The form for another personal token."""

from django.forms import CharField, PasswordInput

from dlqconsole.console.parts.fields import TypedField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.people.tokens import DAYS, LABEL

USUAL_DAYS = 90


class TokenForm(ConsoleForm):
    """Its purpose, its duration, and the password once more: a session alone makes no token."""

    ids = "token"

    label = TypedField(LABEL)
    days = TypedField(DAYS, initial=USUAL_DAYS)
    password = CharField(
        label="Your password, once more",
        max_length=4_096,
        strip=False,
        error_messages={"required": "Type your password: whoever finds your browser open has none."},
        widget=PasswordInput(attrs={"autocomplete": "current-password"}),
    )
