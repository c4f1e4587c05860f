"""The reason for an action. The audit log keeps it, so there must be one, of a bearable length."""

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import check_text
from dlqconsole.processing.texts import sanitise_text

REASON_LIMIT = 2_000
NO_REASON = "Say why: the audit log keeps the reason."


def read_reason(text: str) -> str:
    """The reason as a form brings it. Raises InvalidInput: none, too long, or it cannot be stored."""
    reason = text.strip()
    if not reason:
        raise InvalidInput(NO_REASON)
    check_text(reason, "The reason", REASON_LIMIT)
    return reason


def checked_reason(text: str) -> str:
    """The reason as a program or a terminal gives it, less what cannot be stored. Raises InvalidInput."""
    return read_reason(sanitise_text(text, limit=len(text) + 1))
