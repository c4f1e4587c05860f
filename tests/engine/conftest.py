"""What the engine's tests share: the sample handlers, and a claim in one call."""

from collections.abc import Callable

import orjson
import pytest

from dlqconsole.core import messages
from tests.with_sample_handlers import sample_handlers, started_with  # noqa: F401 - fixtures


@pytest.fixture
def send() -> Callable[..., int]:
    """send(order_id=1) puts that order on the queue order.created."""

    def put(queue: str = "order.created", headers: dict[str, str] | None = None, **data: object) -> int:
        return messages.send(queue, orjson.dumps(data), headers)

    return put
