"""The ways in which a call ends without an answer, in the words that people read."""

import os
import signal
from dataclasses import dataclass, replace

from dlqconsole.processing.categories import TRANSIENT, UNKNOWN
from dlqconsole.processing.outcomes import Failed, Outcome, Succeeded

# After so many deaths of its process no machine runs an event again.
MOST_DEATHS = 3
# Nor after so many timeouts (HandlerTimeout).
MOST_TIMEOUTS = 5
# The exit status of a process that could not send its answer.
UNANSWERED = 71


@dataclass(frozen=True, slots=True)
class Death:
    """``reason`` is `ClassName: sentence`, as of any failure. ``hung``: it did not stop in time.

    ``fatal``: its process ended with it, or had to be ended; else only the call failed.
    """

    reason: str
    category: str = UNKNOWN
    stacktrace: str = ""
    hung: bool = False
    fatal: bool = True

    @property
    def error_class(self) -> str:
        """The first word of the reason."""
        return self.reason.partition(":")[0]


# Its process still ran, or could not send its answer.
CHANNEL_CLOSED = Death("HandlerDied: it closed the connection that its process answers on")
# Something else than an answer came.
CHANNEL_MISUSED = Death("HandlerDied: it wrote into the connection that its process answers on")
TEMPLATE_ENDED = Death(
    "HandlerDied: the process that starts the handlers' processes ended, and all of them with it"
)


def ended(status: int, stacktrace: str = "") -> Death:
    """Return the death of a process that ended by itself; ``status`` is ``waitpid``'s."""
    code = os.waitstatus_to_exitcode(status)
    if code == UNANSWERED:
        return CHANNEL_CLOSED
    if code >= 0:
        return Death(f"HandlerDied: its process ended with status {code}", UNKNOWN, stacktrace)
    name = signal.Signals(-code).name if -code in signal.valid_signals() else "unknown"
    hint = ", as when memory runs out" if -code == signal.SIGKILL else ""
    return Death(f"HandlerDied: its process was ended by signal {-code} ({name}){hint}", UNKNOWN, stacktrace)


def hung(seconds: float, grace: float, stacktrace: str = "") -> Death:
    """Return the death of a process that was killed because it did not stop."""
    sentence = f"it did not stop after {seconds:g} s, nor in the {grace:g} s after that, and was killed"
    return Death(f"HandlerHung: {sentence}", TRANSIENT, stacktrace, hung=True)


def out_of_memory(limit: int, stacktrace: str = "") -> Death:
    """Return the death of a process that took more memory than it may."""
    mebibytes = max(limit // 1024**2, 1)
    return Death(f"HandlerOutOfMemory: it needed more than {mebibytes:,} MiB", UNKNOWN, stacktrace)


def not_started(seconds: float) -> Death:
    """Return the death of a call that got no process."""
    return Death(f"HandlerDied: no process for it had started within {seconds:g} s", TRANSIENT, fatal=False)


def failure_of(death: Death) -> Failed:
    """Return the failure that a death is."""
    return Failed(death.reason, death.category, death.error_class, death.stacktrace, fatal=death.fatal)


def reduce_for_sending(outcome: Outcome, memory_bytes: int) -> Outcome:
    """Reduce an outcome to what its process sends: a record is the text that is stored.

    What needed more memory than it may (0: any) is fatal.
    """
    if isinstance(outcome, Succeeded):
        return replace(outcome, record=None)
    if has_no_memory(outcome) and memory_bytes:
        death = out_of_memory(memory_bytes)
        return replace(outcome, reason=death.reason, error_class=death.error_class, fatal=True)
    return outcome


def has_no_memory(outcome: Outcome) -> bool:
    """Tell whether there was no memory for the handler."""
    return isinstance(outcome, Failed) and outcome.error_class == "MemoryError"
