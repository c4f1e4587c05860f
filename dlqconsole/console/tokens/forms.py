"""The form for another personal token."""

from django.forms import CharField, PasswordInput, TextInput

from dlqconsole.console.parts.fields import CountField, PlainTextField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.people.tokens import LONGEST_DAYS, LONGEST_LABEL

USUAL_DAYS = 90


class TokenForm(ConsoleForm):
    """Its purpose, its duration, and the password once more: a session alone makes no token."""

    ids = "token"

    label = PlainTextField(
        what="The label",
        label="What is it for?",
        limit=LONGEST_LABEL,
        error_messages={"required": "Say what the token is for, such as the name of the machine."},
        widget=TextInput(attrs={"autocomplete": "off", "placeholder": "my laptop"}),
    )
    days = CountField(
        what="The number of days",
        label="Days until it ends",
        low=1,
        high=LONGEST_DAYS,
        initial=USUAL_DAYS,
    )
    password = CharField(
        label="Your password, once more",
        max_length=4_096,
        strip=False,
        error_messages={"required": "Type your password: whoever finds your browser open has none."},
        widget=PasswordInput(attrs={"autocomplete": "current-password"}),
    )
