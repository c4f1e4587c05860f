"""What the engine's tests share: the sample handlers, and a claim in one call."""

from collections.abc import Callable, Iterator

import orjson
import pytest

from dlqconsole.engine import handling, messages, policies


@pytest.fixture(autouse=True)
def sample_handlers(settings) -> Iterator[None]:
    settings.DLQ_HANDLERS = "tests.sample_handlers"
    handling.registry.cache_clear()
    policies.forget()
    yield
    handling.registry.cache_clear()


@pytest.fixture
def send() -> Callable[..., int]:
    """send(order_id=1) puts that order on the queue order.created."""

    def put(queue: str = "order.created", headers: dict[str, str] | None = None, **data: object) -> int:
        return messages.send(queue, orjson.dumps(data), headers)

    return put
