"""An outcome on its way from the process in which a handler ran."""

from dataclasses import replace

from dlqconsole.processing.outcomes import Failed, Outcome, Succeeded

from .deaths import Death, out_of_memory


def reduce_for_sending(outcome: Outcome, memory_bytes: int) -> Outcome:
    """The record goes as the text that is stored; what needed more memory than it may (0: any) is fatal."""
    if isinstance(outcome, Succeeded):
        return replace(outcome, record=None)
    if has_no_memory(outcome) and memory_bytes:
        death = out_of_memory(memory_bytes)
        return replace(outcome, reason=death.reason, error_class=death.error_class, fatal=True)
    return outcome


def has_no_memory(outcome: Outcome) -> bool:
    """Tell whether there was no memory for the handler."""
    return isinstance(outcome, Failed) and outcome.error_class == "MemoryError"


def failure_of(death: Death) -> Failed:
    """The failure that a death is."""
    return Failed(death.reason, death.category, death.error_class, death.stacktrace, fatal=death.fatal)
