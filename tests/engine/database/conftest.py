"""What the tests of locks share, for pytest to find."""

from tests.engine.database.locking import locks_are_forgotten, mode  # noqa: F401 - fixtures
