"""The wheel is the package with its templates and static files, and no more."""

import os
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from dlqconsole import __version__
from dlqconsole.configuration.demo_environment import CHECKOUT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def names(wheel) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


def test_it_has_every_template_static_file_and_query(names):
    def in_checkout(folder: Path, root: Path, *kinds: str) -> set[str]:
        return {
            str(Path("dlqconsole") / path.relative_to(root)) for kind in kinds for path in folder.rglob(kind)
        }

    package = CHECKOUT / "dlqconsole"
    templates = in_checkout(CHECKOUT / "templates", CHECKOUT, "*.html")
    static = in_checkout(CHECKOUT / "static", CHECKOUT, "*.js", "*.css", "*.svg")
    own = in_checkout(package, package, "*.py", "*.sql", "*.html", "*.properties", "*.mo")
    assert min(map(len, (templates, static, own))) > 10
    assert templates | static | own <= names


def test_it_has_no_test_no_tool_and_no_example(names):
    assert {name.split("/")[0] for name in names} == {"dlqconsole", f"dlqconsole-{__version__}.dist-info"}


def test_it_says_its_version_its_licence_and_its_extras(wheel):
    with zipfile.ZipFile(wheel) as file:
        said = message_from_bytes(file.read(f"dlqconsole-{__version__}.dist-info/METADATA"))
    assert (said["Version"], said["License-Expression"]) == (__version__, "MIT")
    assert {"kafka", "spark", "archive", "demo"} <= set(said.get_all("Provides-Extra"))
    assert not {"dev", "bench"} & set(said.get_all("Provides-Extra"))


@pytest.mark.parametrize(
    ("settings", "program"), [("dlqconsole.settings", "dlqconsole"), ("shop.settings", "manage.py")]
)
def test_its_sentences_name_the_program_that_runs_commands(wheel, tmp_path, settings, program):
    """A Django project that has us as a guest has a manage.py of its own."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    say = "from dlqconsole.configuration import program; print(program.PROGRAM)"
    environment = {"PATH": os.defpath, "DJANGO_SETTINGS_MODULE": settings}
    said = subprocess.check_output([sys.executable, "-c", say], cwd=tmp_path, env=environment, text=True)
    assert said.strip() == program
