"""A fixture for folders whose tests run handlers: import it in their conftest, and it is in use."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from dlqconsole.core.lifecycle import failures


@pytest.fixture(autouse=True)
def sample_handlers(settings) -> None:
    """The handlers of tests/sample_handlers.py."""
    settings.DLQ_HANDLERS = "tests.sample_handlers"


@pytest.fixture
def waits_are_long(monkeypatch) -> None:
    """What is tried again later waits for all of the time that its wait is drawn from, not for none of it."""
    monkeypatch.setattr(failures, "random", SimpleNamespace(random=lambda: 1.0))


@pytest.fixture
def started_with(settings) -> Callable[[str], None]:
    """started_with("") is this process, started with other handlers."""

    def start(modules: str) -> None:
        settings.DLQ_HANDLERS = modules

    return start
