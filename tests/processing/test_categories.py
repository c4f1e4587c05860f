"""Who can mend an error, by what it says and else by its class."""

import psycopg
import pytest

from dlqconsole.processing import (
    BusinessError,
    DependencyError,
    HandlerError,
    NoHandler,
    PermanentError,
    SchemaViolation,
    TransientError,
    category_of,
)


class StockEmpty(BusinessError):
    """A user's own error."""


class Foreign(Exception):
    """An error of another library that happens to say its category."""

    category = "DEPENDENCY"


class Misspelt(HandlerError):
    """A user's own error with a category nobody knows."""

    category = "TRANSIENTT"


@pytest.mark.parametrize(
    ("error", "category"),
    [
        (TransientError(), "TRANSIENT"),
        (DependencyError(), "DEPENDENCY"),
        (PermanentError(), "PERMANENT"),
        (StockEmpty(), "BUSINESS"),
        (SchemaViolation(), "PERMANENT"),
        (NoHandler(), "PERMANENT"),
        (Foreign(), "DEPENDENCY"),
        (Misspelt(), "UNKNOWN"),
        (TimeoutError(), "TRANSIENT"),
        (ConnectionResetError(), "TRANSIENT"),
        (FileNotFoundError(), "DEPENDENCY"),
        (psycopg.errors.AdminShutdown(), "DEPENDENCY"),
        (KeyError("a"), "UNKNOWN"),
        (MemoryError(), "UNKNOWN"),
    ],
)
def test_every_error_has_a_category(error, category):
    assert category_of(error) == category
