"""The confirm page's form as a request for an operation."""

from django.http import QueryDict

from dlqconsole.console.operations.asked_operation import (
    AskedOperation,
    read_reason,
    read_request_key,
    read_seen,
    read_typed_count,
)
from dlqconsole.console.operations.options_form import read_options
from dlqconsole.operations.request import OperationRequest


def read_request(asked: AskedOperation, posted: QueryDict) -> OperationRequest:
    """What a person confirmed. Raises NotUnderstood, or OperationRefused for its options."""
    return OperationRequest(
        asked.kind.name,
        asked.scope,
        read_reason(posted),
        read_options(asked.kind, posted),
        seen=read_seen(posted, asked),
        typed_count=read_typed_count(posted),
        key=read_request_key(posted),
    )
