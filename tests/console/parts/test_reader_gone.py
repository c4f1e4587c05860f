"""Output piped into `head -1` ends quietly, as with other tools."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dlqconsole.engine.models import Queue
from tests.operations.processes import address_here
from tests.starting import Popen

pytestmark = pytest.mark.django_db(transaction=True)
READER_GONE = 141
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("arguments", [("deadletters", "list"), ("deadletters", "export"), ("queues",)])
def test_a_reader_that_has_enough_is_no_error(letter, arguments):
    letter("a"), letter("b")
    Queue.objects.create(name="orders")
    status, complaints = run(*arguments)
    assert status == READER_GONE
    assert complaints in ("", "2 dead letters exported.\n")


def test_a_reader_that_has_enough_does_not_hide_what_went_wrong(db):
    status, complaints = run("deadletters", "list", "--rate", "5")
    assert status in (2, READER_GONE)
    assert complaints == "CommandError: deadletters list has no option --rate.\n"


def run(*arguments: str) -> tuple[int, str]:
    """The exit status and the errors of a command whose standard output nobody reads."""
    reads, writes = os.pipe()
    os.close(reads)
    with Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": address_here()},
        stdout=writes,
        stderr=subprocess.PIPE,
        text=True,
    ) as command:
        os.close(writes)
        complaints = command.communicate(timeout=60)[1]
    return command.returncode, complaints
