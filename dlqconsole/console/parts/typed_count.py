"""The number on a form's button is typed to show that all of them are meant."""

from django.forms import Form

from dlqconsole.console.parts.fields import CountField

MOST = 2**31 - 1


class TypedCount(Form):
    """Part of a form that is confirmed so; the form itself knows which number was seen."""

    typed_count = CountField(what="The count", high=MOST, required=False)

    def check_typed(self, seen: int | None) -> None:
        """Refuse another number than the one that was seen; None: the form came without one."""
        if self.cleaned_data.get("typed_count") != (seen or 0):
            self.errors.pop("typed_count", None)
            number = "the count" if seen is None else f"{seen:,}"
            self.add_error("typed_count", f"Type {number} to confirm that all of them are meant.")

    def ask_for(self, count: int | None) -> None:
        """Say in the field's label what is to be typed."""
        typed = self["typed_count"]
        # a form that was read has taken its labels already
        typed.label = (
            f"Type {'the count' if count is None else f'{count:,}'} to show that you mean all of them"
        )
        typed.field.widget.attrs["required"] = True
