"""The one way in which the console, the admin and the command line ask for an operation."""

from uuid import UUID

from dlqconsole.console.operations.asked_operation import AskedOperation
from dlqconsole.console.operations.options import Options
from dlqconsole.engine.counts.summaries import Count
from dlqconsole.operations import service
from dlqconsole.operations.models import Operation
from dlqconsole.operations.preview import preview


def request_asked(
    asked: AskedOperation,
    actor: str,
    reason: str,
    key: UUID,
    seen: Count | None = None,
    options: Options | None = None,
    typed_count: int | None = None,
) -> Operation:
    """Make the operation, or find the one that the same key made before; ``seen`` is what the person saw.

    ``typed_count`` is what they typed where nobody else can approve. Raises OperationRefused with a sentence.
    """
    seen = seen or _counted(asked)
    chosen = options or Options()
    return service.request_operation(
        asked.kind,
        actor=actor,
        reason=reason,
        request_key=key,
        expected=seen.value,
        expected_exact=not seen.approximate,
        parameters=chosen.parameters,
        rate=chosen.rate,
        typed_count=typed_count,
        **asked.arguments(),
    )


def _counted(asked: AskedOperation) -> Count:
    """Who asks without a confirm page has seen what stands in the table now."""
    found = preview(asked.kind, **asked.arguments())
    return Count(found.total, found.approximate)
