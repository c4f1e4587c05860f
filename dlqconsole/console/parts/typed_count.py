"""A form that asks for the number on its button, to confirm that all of them are meant."""

from django.forms import Form

from dlqconsole.console.parts.fields import TypedField
from dlqconsole.processing.inputs.fields import WholeNumber

MOST = 2**31 - 1


class TypedCount(Form):
    """The field of the typed count; the form itself knows which number the person saw."""

    typed_count = TypedField(WholeNumber(what="The count", high=MOST), required=False)

    def check_typed(self, count: int | None) -> None:
        """Refuse a typed number other than the count; None: the form came without one."""
        if self.cleaned_data.get("typed_count") != (count or 0):
            self.errors.pop("typed_count", None)
            number = "the count" if count is None else f"{count:,}"
            self.add_error("typed_count", f"Type {number} to confirm that all of them are meant.")

    def ask_for(self, count: int | None) -> None:
        """Name the number to type in the field's label."""
        field = self["typed_count"]
        # a bound field has its label already: change the bound field
        field.label = (
            f"Type {'the count' if count is None else f'{count:,}'} to show that you mean all of them"
        )
        field.field.widget.attrs["required"] = True
