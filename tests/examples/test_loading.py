"""Loading the flights ends with one line where it cannot; what it loads is in tests/readme."""

import os
import subprocess
import sys

import pytest

from tests.starting import Popen


@pytest.mark.parametrize(
    ("name", "value"),
    [("SPARK_MASTER", "lokal"), ("DLQ_HANDLER_TIMEOUT", "0"), ("SPARK_DRIVER_MEMORY", "some")],
)
def test_a_wrong_setting_is_a_sentence_before_spark_starts(name, value):
    """In a process of its own: one in which Spark runs already asks for no memory."""
    environment = os.environ | {"DLQ_HANDLERS": "examples.flights.handlers", name: value}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    load = Popen([sys.executable, "-m", "examples.flights", "load"], env=environment, **pipes)
    out, err = load.communicate(timeout=60)
    assert (load.returncode, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith(f"the flights are not loaded: {name} ")
