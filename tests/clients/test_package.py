"""The package by itself: on the oldest Python that it promises, and as a wheel in an empty environment."""

import glob
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.clients.conftest import PACKAGE

CODE = """
@dlq.guard("order.created", key=lambda order: order["id"])
def handle(order):
    raise ValueError(sys.version_info[:2])
try: handle({"id": "1", "at": (1,)})
except ValueError: pass
assert dlq.flush(20)
"""


def pythons():
    """The oldest that this machine has and we promise, or nothing."""
    names = [f"python3.{minor}" for minor in range(10, sys.version_info.minor)]
    folders = [*os.get_exec_path(), *glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin"))]
    found = [Path(folder, name) for name in names for folder in folders if "shims" not in folder]
    return [str(path) for path in found if path.exists()][:1]


@pytest.mark.parametrize("python", pythons())
def test_it_reports_on_an_older_python(run, console, python):
    program = run(console.url, CODE, python=python)
    assert program.wait(30) == 0, program.stdout.read()
    [failure] = console.stored
    assert failure["data"] == {"id": "1", "at": {"$type": "tuple", "value": [1]}}
    assert failure["error"]["message"].startswith("(3, 1")


def test_its_wheel_needs_nothing(tmp_path, console):
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, PACKAGE],
        check=True,
        capture_output=True,
    )
    [wheel] = tmp_path.glob("dlq-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [archive.read(name).decode() for name in names if name.endswith("METADATA")]
    assert "dlq/values.py" in names
    assert all(name.startswith("dlq") for name in names)
    assert [line for line in metadata.splitlines() if line.startswith("Requires-Dist")] == [
        "Requires-Dist: psycopg[binary]>=3.1; extra == 'postgres'"
    ]
    program = f"import dlq, sys\ndlq.init({console.url!r}, spool={str(tmp_path)!r})\n{CODE}"
    environment = {"PATH": os.defpath, "PYTHONPATH": str(wheel)}
    subprocess.run([sys.executable, "-S", "-c", program], check=True, env=environment)
    assert console.keys == ["1"]
