"""What looks like a setting and is none is said once, with the nearest that there is."""

import os
import subprocess
import sys

import pytest

from dlqconsole.configuration.demo_environment import CHECKOUT
from dlqconsole.configuration.reading import read_settings
from dlqconsole.configuration.setting import Reader

SENTENCE = "DLQ_RETRY_BATCHSIZE is no setting and is ignored; did you mean DLQ_RETRY_BATCH_SIZE?\n"


def test_it_is_said_once_with_the_nearest(environment, reader, capsys):
    environment["DLQ_RETRY_BATCHSIZE"] = "a secret"
    read_settings(reader)
    read_settings(reader)
    assert capsys.readouterr().err == SENTENCE


@pytest.mark.parametrize("name", ["DLQ_QQQQQQQ", "DLQ_\x1b[31m"])
def test_what_is_near_to_nothing_is_only_named(environment, name, capsys):
    environment[name] = "x"
    read_settings(Reader.DJANGO)
    said = capsys.readouterr().err
    assert said.endswith(" is no setting and is ignored.\n")
    assert said.strip().isprintable()


@pytest.mark.parametrize("name", ["DLQ_CHROMIUM", "DLQ_TEST_RUN", "DLQ_MASKING", "PATHS", "SPARK_LOCAL_IP"])
def test_what_somebody_reads_is_not_named(environment, name, capsys):
    environment[name] = "1"
    read_settings(Reader.DJANGO)
    assert capsys.readouterr().err == ""


def test_processes_that_another_starts_are_silent(environment, capfd):
    environment["DLQ_RETRY_BATCHSIZE"] = "1"
    again = "from dlqconsole.configuration.reading import read_settings as r, Reader; r(Reader.DJANGO)"
    code = f"import subprocess, sys; {again}; subprocess.run([sys.executable, '-c', {again!r}], check=True)"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(CHECKOUT)}, check=True)
    assert capfd.readouterr().err == SENTENCE
