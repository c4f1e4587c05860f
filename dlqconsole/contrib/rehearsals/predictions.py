"""The result of a rehearsal: what an event's handler would do with it, as a value that can be kept."""

from collections import Counter
from dataclasses import dataclass

from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.outcomes import Failed, Outcome
from dlqconsole.processing.texts import one_line

REASON_LIMIT = 500
SUCCEED, FAIL, STOP, WRITE, UNKNOWN = "succeed", "fail", "stop", "write", "unknown"
# the end of an operation's item, by its prediction
_ENDS = {SUCCEED: "done", FAIL: "failed", STOP: "failed", WRITE: "skipped", UNKNOWN: "skipped"}

# the sentence about an event whose handler did not run
NOT_REHEARSED = stored("not rehearsed: {why_sentence}")
NOT_DECLARED = stored("its handler does not say that it can be")
WRITES = stored(
    "cannot be rehearsed: its handler writes to a database, and does not leave that out while"
    " event.rehearsal is true"
)
BREAKER = stored("the breaker of {key_sentence} is open")
AWAY = stored("{number:,} in a row failed before it, as if something did not answer")
_REFUSED_WRITE = ("[SQLSTATE 25006]", "ReadOnlySqlTransaction")


@dataclass(frozen=True, slots=True)
class RehearsalPrediction:
    """``would`` is one of the words above; ``error_class`` and ``category`` are of a failure."""

    would: str
    reason: str = ""
    error_class: str = ""
    category: str = ""

    @property
    def status(self) -> str:
        """The state in which the item of an operation ends."""
        return _ENDS[self.would]


def prediction_of(outcome: Outcome) -> RehearsalPrediction:
    """Return the prediction of a handler that ran."""
    if not isinstance(outcome, Failed):
        return RehearsalPrediction(SUCCEED)
    category = outcome.ruled_category or outcome.category
    reason = one_line(outcome.reason, REASON_LIMIT)
    return RehearsalPrediction(STOP if outcome.fatal else FAIL, reason, outcome.error_class, category)


def not_rehearsed(reason: str) -> RehearsalPrediction:
    """Return the prediction of what did not run; ``reason`` is a whole sentence."""
    return RehearsalPrediction(UNKNOWN, one_line(reason, REASON_LIMIT))


def is_refused_write(outcome: Outcome) -> bool:
    """Tell whether it failed because a database only reads in a rehearsal, however that is wrapped."""
    if not isinstance(outcome, Failed):
        return False
    code, name = _REFUSED_WRITE
    return code in outcome.reason or name in outcome.stacktrace


class InARow:
    """The number of failures in a row, for each event type, in which something did not answer.

    ``most``: after so many the rest of the type is not run; 0: it always is.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._numbers: Counter[str] = Counter()

    def note(self, event_type: str, outcome: Outcome) -> None:
        """Count one that ran."""
        is_away = isinstance(outcome, Failed) and outcome.says_away
        self._numbers[event_type] = self._numbers[event_type] + 1 if is_away else 0

    def why_not(self, event_type: str) -> str:
        """Return why its handler must not run any more; empty where it may."""
        return AWAY.format(number=self._most) if 0 < self._most <= self._numbers[event_type] else ""
