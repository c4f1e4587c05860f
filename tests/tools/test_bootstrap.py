"""The first step on a new machine: find a Python, and fill .venv."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import bootstrap

SCRIPT = Path(bootstrap.__file__)


def pretend_python(folder, name, version):
    """A program that says it is some Python; with no version it fails, as a version manager's shim may."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\n" + (f"echo {version}\n" if version else "echo broken >&2; exit 127\n"))
    program.chmod(0o755)
    return str(program)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with an empty PATH, an empty home, and this script run by an old Python."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    monkeypatch.setattr(sys, "executable", pretend_python(tmp_path / "old", "python3", "3 11"))
    return tmp_path


def test_3_13_is_preferred(machine):
    pretend_python(machine / "bin", "python3.12", "3 12")
    pretend_python(machine / "bin", "python3.14", "3 14")
    best = pretend_python(machine / "bin", "python3.13", "3 13")
    assert bootstrap.find_python() == best


def test_a_shim_that_fails_is_passed_over(machine):
    pretend_python(machine / "bin", "python3.13", None)
    good = pretend_python(machine / "bin", "python3", "3 12")
    assert bootstrap.find_python() == good


def test_what_a_program_says_counts_and_not_its_name(machine):
    pretend_python(machine / "bin", "python3.13", "3 9")
    good = pretend_python(machine / "bin", "python3", "3 13")
    assert bootstrap.find_python() == good


def test_pyenvs_versions_are_looked_at(machine):
    good = pretend_python(machine / "home" / ".pyenv" / "versions" / "3.12.1" / "bin", "python3", "3 12")
    assert bootstrap.find_python() == good


def test_without_a_new_enough_python_one_line_says_so(machine):
    pretend_python(machine / "bin", "python3", "3 11")
    with pytest.raises(bootstrap.CannotInstall, match=r"needs Python 3\.12 or newer") as problem:
        bootstrap.find_python()
    assert "\n" not in str(problem.value)


def test_a_second_run_returns_at_once_and_says_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(bootstrap, "CHECKOUT", str(tmp_path))
    monkeypatch.setattr(bootstrap, "VENV", str(tmp_path / ".venv"))
    (tmp_path / "requirements.txt").write_text("nothing==1\n")
    monkeypatch.setattr(bootstrap, "make_venv", lambda: None)
    stamp = Path(bootstrap.stamp_of(str(tmp_path / "requirements.txt")))
    stamp.parent.mkdir(parents=True)
    stamp.touch()
    bootstrap.install([])


def test_a_changed_file_is_installed_again(tmp_path, monkeypatch):
    file = tmp_path / "requirements.txt"
    file.write_text("one==1\n")
    before = bootstrap.stamp_of(str(file))
    file.write_text("one==2\n")
    assert bootstrap.stamp_of(str(file)) != before


def test_pips_registries_reach_uv_and_what_is_set_for_uv_wins(tmp_path, monkeypatch):
    settings = tmp_path / "pip.conf"
    settings.write_text(
        "[global]\nindex-url = https://packages.example/simple\n"
        "find-links =\n  /one\n  /two\ncert = /own.pem\n"
    )
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_", "SSL_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    monkeypatch.setenv("UV_FIND_LINKS", "/mine")
    monkeypatch.setattr(bootstrap, "PYTHON", sys.executable)
    handed = bootstrap.uv_environment()
    assert handed["UV_DEFAULT_INDEX"] == "https://packages.example/simple"
    assert handed["SSL_CERT_FILE"] == "/own.pem"
    assert handed["UV_FIND_LINKS"] == "/mine"


def test_the_script_needs_nothing_but_an_old_python():
    """Every Python this machine has from 3.8 on can at least read it: one of each version is asked."""
    there = [path for path in bootstrap.candidates() if os.access(path, os.X_OK)]
    pythons = {bootstrap.version_of(path) or (0, 0): path for path in there}
    old = [python for version, python in pythons.items() if version >= (3, 8)]
    assert old
    for python in old:
        read = "import ast, sys; ast.parse(open(sys.argv[1]).read())"
        subprocess.run([python, "-c", read, str(SCRIPT)], check=True)
