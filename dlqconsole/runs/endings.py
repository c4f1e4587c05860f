"""The cause of a process's end, in plain words."""

import signal

from dlqconsole.runs.output import last_line

_REASONS = {
    1: "it failed",
    2: "it was asked wrongly, or its settings are wrong",
    130: "it was stopped",
}


def why_it_ended(exit_status: int, log: str) -> str:
    """Return the cause as a sentence, for a run that did not give it. Below 0: the signal that killed it."""
    if exit_status < 0:
        return _killed(-exit_status)
    last_words = last_line(log)
    reason = _REASONS.get(exit_status, f"it ended with exit status {exit_status}")
    if exit_status == 0:
        reason = "it ended without a last word"
    return f"{reason}: {last_words}" if last_words else f"{reason}, and said nothing"


def _killed(number: int) -> str:
    if number == signal.SIGKILL:
        return (
            "killed by signal 9, probably because the machine was out of memory: lower SPARK_DRIVER_MEMORY or"
            " DLQ_HANDLER_MEMORY, or give it more"
        )
    try:
        name = f"{number} ({signal.Signals(number).name})"
    except ValueError:
        name = str(number)
    return f"killed by signal {name}"
