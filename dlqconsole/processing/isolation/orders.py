"""What the parent says to the template, and the template to the parent."""

from dataclasses import dataclass
from struct import Struct

from .limits import ProcessLimits


@dataclass(frozen=True, slots=True)
class Work:
    """What the processes run: ``package.module:function`` names.

    ``prepare`` is called once, before any process is made. ``late``: each process imports for itself.
    """

    entry: str
    prepare: str
    limits: ProcessLimits
    late: bool = False


# A command: which, the number of a process, a signal. With FORK go two descriptors: channel, notes.
COMMAND = Struct("=cII")
FORK, KILL = b"F", b"K"

# Kinds of the template's frames: READY (how many threads it has), FAILED (why), FORKED (number, pid),
# ENDED (number, what waitpid said).
READY, FAILED, FORKED, ENDED = range(4)

# Kinds of a child's answers; LAST is added where its process ends with it.
ANSWERED, DIED, LAST = 1, 2, 8
