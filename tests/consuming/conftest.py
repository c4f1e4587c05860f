"""What the consumer's tests share: the sample handlers, and a message in one call."""

from tests.engine.conftest import send  # noqa: F401 - a fixture
from tests.with_sample_handlers import sample_handlers, started_with  # noqa: F401 - fixtures
