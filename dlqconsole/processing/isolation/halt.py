"""What an entry may return in place of a value."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Halt:
    """A value after which the process gives back what it has not begun: the caller looks at it first.

    ``doubtful``: the call may bear what another did that ran beside it. Then it is run again, alone.
    """

    value: Any
    doubtful: bool = False
