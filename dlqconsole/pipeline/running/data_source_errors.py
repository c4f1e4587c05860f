"""Errors of our data sources in Spark's own processes: Spark shows the sentence alone."""

import os
from collections.abc import Callable
from functools import wraps

from dlqconsole.pipeline.errors import PipelineProblem

# Spark's worker asks for it when it reports what was raised; after that it ends
_HIDE = "SPARK_HIDE_TRACEBACK"


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
