"""A fixture for folders whose tests run handlers: import it in their conftest, and it is in use."""

from collections.abc import Iterator

import pytest

from dlqconsole.engine import handling
from dlqconsole.engine.messages import policies


@pytest.fixture(autouse=True)
def sample_handlers(settings) -> Iterator[None]:
    """The handlers of tests/sample_handlers.py, and nothing remembered of an earlier test."""
    settings.DLQ_HANDLERS = "tests.sample_handlers"
    handling.registry.cache_clear()
    policies.forget()
    yield
    handling.registry.cache_clear()
