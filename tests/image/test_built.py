"""The image's steps, followed in an empty folder, give a console that starts as somebody who owns nothing."""

import os
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import pytest

from dlqconsole.running.ports import free_port
from tests.image.built import Image, build
from tests.image.dockerfile import CHECKOUT
from tests.image.packages import named
from tests.operations.processes import address_here
from tests.starting import Popen
from tests.waiting import eventually

USER = 10_001
# what has no file in the image that it is in: Spark's rooms, and what starts servers for the demo
_IMPORT_ALL = """
import importlib, pkgutil, django
django.setup()
import dlqconsole, dlqconsole.celery, dlqconsole.urls
OTHERS = ("dlqconsole.pipeline", "dlqconsole.spark")
for found in pkgutil.walk_packages(dlqconsole.__path__, "dlqconsole."):
    if not found.name.startswith(OTHERS) and "__main__" not in found.name:
        importlib.import_module(found.name)
import confluent_kafka, pyarrow.parquet
assert importlib.util.find_spec("pyspark") is None
"""


@pytest.fixture(scope="module")
def image():
    """The console's, as somebody else where we may and he can reach the checkout."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    yield build("console", root, USER if _reaches(USER, root) else None)
    shutil.rmtree(root)


@pytest.fixture
def settings_of_its_own():
    return {
        "DATABASE_URL": address_here(),
        "REDIS_URL": os.environ["REDIS_URL"],
        "SECRET_KEY": os.environ["SECRET_KEY"],
        "DLQ_HTTPS": "false",
        "DJANGO_SETTINGS_MODULE": "dlqconsole.settings",
    }


def _reaches(user: int, root: Path) -> bool:
    if os.geteuid() != 0:
        return False
    seen = subprocess.run(["ls", str(root), os.path.dirname(os.__file__), str(CHECKOUT)], user=user)
    return seen.returncode == 0


def test_the_static_files_were_collected(image: Image):
    assert (image.root / "app" / "staticfiles" / "dlqconsole" / "console" / "console.js").is_file()


def test_its_checks_pass_and_all_that_it_runs_is_installed(image: Image, settings_of_its_own):
    for command in (["manage.py", "check", "--fail-level", "ERROR"], ["-c", _IMPORT_ALL]):
        done = image.run("python", *command, **settings_of_its_own)
        assert done.returncode == 0, done.stderr


@pytest.mark.django_db(transaction=True)
def test_its_command_answers(image: Image, settings_of_its_own):
    port = free_port()
    command = [word.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for word in image.command]
    environment = image.environment | settings_of_its_own
    with Popen(
        [shutil.which(command[0], path=environment["PATH"]), *command[1:]],
        cwd=image.folder,
        env=environment,
        user=image.user,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as console:
        try:
            eventually(lambda: _answer(port, "healthz") or console.poll() is not None)
            assert console.poll() is None, console.stdout.read()
            assert _answer(port, "readyz").startswith("ready\n")
            assert ">Sign in</h1>" in _answer(port, "login/")
            assert ">登录</h1>" in _answer(port, "login/", "zh-Hans")
        finally:
            console.terminate()


def _answer(port: int, page: str, language: str = "en") -> str:
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/{page}", headers={"Accept-Language": language})
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310
            return answer.read().decode()
    except OSError:
        return ""


def test_only_what_runs_the_pipeline_has_spark():
    assert {"pyspark", "pandas"}.isdisjoint(named("console-packages"))
    assert {"pyspark", "pandas", *named("console-packages")} <= named("spark-packages")
