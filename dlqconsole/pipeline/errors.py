"""The problems of the person at the keyboard, said in one sentence each."""

import os
from collections.abc import Callable
from functools import lru_cache, wraps

from dlqconsole.processing.masking import Masker

# Spark's worker asks for it when it reports what was raised; after that it ends
_HIDE = "SPARK_HIDE_TRACEBACK"


class PipelineProblem(Exception):
    """The job could not do its work: what happened, to which thing, what to do."""

    exit_status = 1


class BadRequest(PipelineProblem):
    """The request cannot be done: a wrong argument or setting."""

    exit_status = 2


class DatabaseAway(PipelineProblem):
    """No connection to PostgreSQL: it may come back."""


class RunIsOver(PipelineProblem):
    """This run was marked as ended while it still worked: it must write nothing more."""


class Stopped(PipelineProblem):
    """A person or the supervisor asked us to stop."""

    exit_status = 130


def without_traceback[**Given, Result](method: Callable[Given, Result]) -> Callable[Given, Result]:
    """A method that Spark calls, whose PipelineProblem a person is to read in the first line of the error."""

    @wraps(method)
    def wrapper(*arguments: Given.args, **options: Given.kwargs) -> Result:
        try:
            return method(*arguments, **options)
        except PipelineProblem:
            os.environ[_HIDE] = "1"
            raise

    return wrapper


def masked(sentence: str) -> str:
    """The sentence without personal data and secrets, as a line of the log has it."""
    return _masker(os.environ.get("DLQ_MASKED_KEYS", "")).text(sentence)


@lru_cache(maxsize=1)
def _masker(more_keys: str) -> Masker:
    return Masker(filter(None, map(str.strip, more_keys.split(","))))
