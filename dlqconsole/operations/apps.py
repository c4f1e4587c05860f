from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlqconsole.hosting import app

if TYPE_CHECKING:
    from dlqconsole.operations.kinds.base import Kind


class OperationsConfig(app.Ours):
    name = "dlqconsole.operations"

    def kinds(self) -> "Iterator[Kind]":
        """The registered kinds, for the model, which may not import them."""
        from dlqconsole.operations import kinds  # they need the models first

        return kinds.every()
