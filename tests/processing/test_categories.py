"""The category of an error: who can mend it, by what it says and else by its class."""

from urllib.error import HTTPError

import psycopg
import pytest

from dlqconsole.processing import (
    BusinessError,
    DependencyError,
    Failed,
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


class Answered(Exception):
    """As HTTP clients raise it: the status stands in the response."""

    def __init__(self, status):
        super().__init__("the server did not like it")
        self.response = type("Response", (), {"status_code": status})()


def caused_by(cause):
    """A handler's own error, raised from another."""
    error = RuntimeError("charging failed")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "category", "ending"),
    [
        (psycopg.errors.SerializationFailure("could not serialize"), "TRANSIENT", " [SQLSTATE 40001]"),
        (psycopg.errors.LockNotAvailable("locked"), "TRANSIENT", " [SQLSTATE 55P03]"),
        (psycopg.errors.TooManyConnections("full"), "DEPENDENCY", " [SQLSTATE 53300]"),
        (psycopg.errors.UniqueViolation("twice"), "UNKNOWN", " [SQLSTATE 23505]"),
        (Answered(503), "TRANSIENT", " [HTTP 503]"),
        (Answered(408), "TRANSIENT", " [HTTP 408]"),
        (Answered(425), "TRANSIENT", " [HTTP 425]"),
        (Answered(429), "TRANSIENT", " [HTTP 429]"),
        (Answered(502), "DEPENDENCY", " [HTTP 502]"),
        (Answered(404), "PERMANENT", " [HTTP 404]"),
        (Answered(200), "UNKNOWN", "like it"),
        (caused_by(Answered(503)), "TRANSIENT", "charging failed [HTTP 503]"),
        (HTTPError("http://x/", 503, "Away", {}, None), "TRANSIENT", "HTTP Error 503: Away"),
    ],
)  # fmt: skip
def test_a_code_that_an_error_carries_decides_and_is_written_down(error, category, ending):
    failed = Failed.from_error(error)
    assert failed.category == category
    assert failed.reason.endswith(ending)


def test_what_the_error_says_counts_more_than_its_code():
    error = StockEmpty("sold out")
    error.status_code = 503
    assert category_of(error) == "BUSINESS"


def test_an_attribute_that_fails_is_no_code():
    class Broken(Exception):
        @property
        def response(self):
            raise RuntimeError("no response yet")

    assert Failed.from_error(Broken("x")).reason == "Broken: x"


def test_only_pythons_own_http_error_has_its_status_as_its_code():
    error = type("HTTPError", (Exception,), {"code": 503})("another library's, of whatever meaning")
    assert Failed.from_error(error).category == "UNKNOWN"
