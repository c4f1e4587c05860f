"""How the tests ask for operations: in one line, with what matters to them."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID, uuid4

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import service
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import ItemsOf, Matching, QueueMessages, Rows, Scope


def scope(
    filter: DeadLetterFilter | None = None,
    ids: Iterable[int] | None = None,
    source: tuple[int, str] | None = None,
    queue: str | None = None,
) -> Scope:
    """The one that is given; all dead letters without any."""
    if queue is not None:
        return QueueMessages.now(queue)
    if ids is not None:
        return Rows.of(ids)
    return ItemsOf(*source) if source else Matching(filter or DeadLetterFilter())


def ask_for(
    kind: str,
    *,
    actor: str,
    reason: str = "a test",
    parameters: Mapping[str, Any] | None = None,
    rate: int | None = None,
    expected: int = 0,
    expected_exact: bool = True,
    typed_count: int | None = None,
    request_key: UUID | None = None,
    by_policy: bool = False,
    **over: Any,
) -> Operation:
    """Ask for an operation as ``actor``. ``over``: filter, ids, source or queue."""
    options = {**(parameters or {}), **({} if rate is None else {"rate": rate})}
    seen = Count(expected, is_least=not expected_exact)
    key = request_key or uuid4()
    request = OperationRequest(kind, scope(**over), reason, options, seen, typed_count, key)
    return service.request_operation(request, actor=actor, by_policy=by_policy)
