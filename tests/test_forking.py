"""The tests that several processes run (tests/forking.py): what happens in them is said as in one."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = """
import os
import warnings

import pytest


@pytest.mark.parametrize("number", range(20))
def test_passes(number):
    assert os.environ["DLQ_TEST_PROCESS"].startswith("process")


def test_fails(tmp_path):
    print("printed by the one that fails")
    raise AssertionError("for this reason")


def test_warns():
    warnings.warn("a word of warning", UserWarning)


def test_ends_its_process():
    os._exit(7)
"""


def run(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_file.py").write_text(FILE)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.forking", "-p", "no:django", "-p", "no:randomly"]
    environment = os.environ | {"DLQ_DATA_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [*command, "-p", "no:playwright", "--processes", "2", *options, "test_file.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_what_fails_warns_and_ends_in_a_process_is_told_and_all_else_is_run(tmp_path):
    said = run(tmp_path)
    assert "2 failed, 21 passed, 1 warning in" in said.stdout, said.stdout + said.stderr
    assert "printed by the one that fails" in said.stdout
    assert "for this reason" in said.stdout
    assert "a word of warning" in said.stdout
    assert "The process ended in this test, with exit code 7" in said.stdout
    assert said.returncode == 1


def test_the_first_failure_ends_the_run_where_that_is_wished(tmp_path):
    said = run(tmp_path, "-x", "-k", "fails or ends")
    assert "1 failed" in said.stdout, said.stdout + said.stderr
    assert "stopping after 1 failures" in said.stdout
    assert said.returncode in (1, 2)
