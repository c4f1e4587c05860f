"""What the tests of rehearsals share with those of operations and of the pipeline."""

from tests.operations.conftest import (  # noqa: F401 - fixtures
    celery,
    letters,
    quick,
    sample_handlers,
    started_with,
    wakeups,
)
from tests.operations.test_killed_worker import worker  # noqa: F401 - a fixture
from tests.pipeline.conftest import database_url, rows, spark  # noqa: F401 - fixtures
from tests.pipeline.dataframes.conftest import session  # noqa: F401 - a fixture
