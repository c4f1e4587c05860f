"""The words between the parent and the template."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from struct import Struct

from .limits import ProcessLimits


@dataclass(frozen=True, slots=True)
class Setup:
    """The code that the processes run: ``package.module:function`` names.

    ``prepare`` is called once, before any process is made. ``late``: each process imports for itself.
    ``environment`` is added to that of the processes, and modules are looked for in ``folders`` first.
    """

    entry: str
    prepare: str
    limits: ProcessLimits
    late: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


# A command: which, the number of a process, a signal. With FORK go two descriptors: channel, notes.
COMMAND = Struct("=cII")
FORK, KILL = b"F", b"K"

# Kinds of the template's frames: READY (how many threads it has), FAILED (why), FORKED (number, pid),
# ENDED (number, what waitpid said).
READY, FAILED, FORKED, ENDED = range(4)

# Kinds of a child's answers; LAST is added where its process ends with it.
ANSWERED, DIED, LAST = 1, 2, 8
