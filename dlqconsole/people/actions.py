"""Actions of people, declared once: pages and commands go by the same role and fields."""

from dataclasses import dataclass

from dlqconsole.processing.inputs.fields import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonAction:
    """An action of a person. ``help``: its words on the command line; ``fields``: the values it takes."""

    name: str
    help: str
    # the least role that may ask for it
    role: str = "operator"
    fields: tuple[Field, ...] = ()

    @property
    def changes(self) -> bool:
        """Tell whether it changes something: then it needs a reason, and the audit log has it."""
        return self.role != "viewer"
