"""A command without a standard output says so before it does anything."""

import os
import subprocess
import sys

import pytest

from tests.command_line.processes import NOWHERE, ROOT, address_here


@pytest.mark.parametrize("arguments", ["deadletters list --limit 5", "queues", "migrate"])
def test_a_closed_standard_output_is_one_sentence(arguments):
    status, said = by_a_shell(f"{arguments} >&-")
    assert status == 1
    assert said == "The standard output is closed: give it somewhere to go, such as >/dev/null.\n"


def test_with_the_standard_error_closed_as_well_only_the_status_says_so():
    assert by_a_shell("queues >&- 2>&-") == (1, "")


@pytest.mark.django_db(transaction=True)
def test_a_closed_standard_input_is_an_empty_one(tmp_path):
    assert by_a_shell(f"send orders <&- >{tmp_path}/said", database=address_here()) == (0, "")
    assert (tmp_path / "said").read_text() == "0 messages sent to orders\n"


@pytest.mark.django_db(transaction=True)
def test_a_full_disk_is_one_sentence():
    status, said = by_a_shell("queues >/dev/full", database=address_here())
    assert status == 1
    assert said == "CommandError: What it says cannot be written: No space left on device.\n"


def by_a_shell(words: str, *, database: str = NOWHERE) -> tuple[int, str]:
    ended = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" manage.py {words}'],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": database},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return ended.returncode, ended.stderr
