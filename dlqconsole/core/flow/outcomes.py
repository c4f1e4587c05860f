"""The outcome of one that was tried again, told to both who decide what may run: its breaker and its pace."""

from dlqconsole.core.flow.breakers import Gate
from dlqconsole.core.flow.pace import Pace, PaceKey
from dlqconsole.processing.outcomes import Failed, Outcome


def note_retry(
    gate: Gate, pace: Pace, event_type: str, key: PaceKey, which: int, outcome: Outcome, seconds: float
) -> None:
    """Note the outcome of a dead letter's handler, and how long it ran. ``which``: the dead letter."""
    gate.note(event_type, outcome, first=False, which=str(which))
    away = isinstance(outcome, Failed) and outcome.says_away
    pace.note(key, seconds, isinstance(outcome, Failed), away=away)
