"""The wheel, built once and installed in a virtual environment of its own, and databases for it."""

import os
import secrets
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from dlqconsole.configuration.demo_environment import CHECKOUT

# what a newcomer's shell does not have
NOT_THEIRS = (
    "DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "PYTHONPATH",
    "DJANGO_SETTINGS_MODULE",
)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    line = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(CHECKOUT)]
    done = subprocess.run([sys.executable, *line], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory) -> Path:
    """The folder of its programs. What it needs is borrowed from here; the checkout is not there."""
    venv = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    python = venv / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--no-compile", str(wheel)], check=True)
    (packages,) = venv.glob("lib/python3*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return venv / "bin"


@pytest.fixture(scope="module")
def empty_database(test_database) -> Iterator[str]:
    """The address of an empty database, as a person would give it."""
    name = f"test_up_{secrets.token_hex(4)}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(name)))
        yield f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"
        server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(scope="module")
def shell(tmp_path_factory) -> dict[str, str]:
    """The environment of a newcomer, with a home of their own."""
    home = tmp_path_factory.mktemp("home")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in NOT_THEIRS and not name.startswith("DLQ_")
    }
    return {**kept, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
