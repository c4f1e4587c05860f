"""From a request's bytes to failures: each form of a CloudEvent, and plain JSON."""

from dlqconsole.contrib.api.reading.failure import Failure
from dlqconsole.contrib.api.reading.forms import read_failures

__all__ = ["Failure", "read_failures"]
