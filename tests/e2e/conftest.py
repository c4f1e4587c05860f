"""The whole system for a test: web server, Celery worker with beat, consumer, and a real browser."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import Group, User
from playwright.sync_api import Page

from dlqconsole.system.processes import end_session
from tests.conftest import signed_in as client_of
from tests.operations.processes import environment_here
from tests.starting import Popen
from tools.system_packages import CHROMIUM, ensure

PASSWORD = "a long enough password"
# What Chromium draws and starts processes for beside the page, in a window that nobody sees.
UNSEEN = (
    "PreloadTopChromeWebUI", "SpareRendererForSitePerProcess", "WebUIOmniboxAimPopup", "WebUIOmniboxPopup",
)  # fmt: skip
# Playwright turns these off; of two such lists the browser reads the last.
BY_PLAYWRIGHT = (
    "AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades",
    "MediaRouter", "NetworkTimeServiceQuerying", "OptimizationHints", "PaintHolding", "PreconnectToSearch",
)  # fmt: skip

# Playwright runs its own event loop in the test's thread; the ORM is used there between its calls.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    quiet = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        # there is no graphics card to drive: drawing for one is a processor more at work
        "--disable-gpu",
        # no page lives long enough for its scripts to be compiled a second and a third time
        "--js-flags=--no-maglev --no-turbofan",
        f"--disable-features={','.join((*UNSEEN, *BY_PLAYWRIGHT))}",
    ]
    return {"executable_path": ensure(CHROMIUM), "args": quiet}


@pytest.fixture
def test_environment() -> dict[str, str]:
    """The environment in which another process works on the test's own database."""
    return os.environ | environment_here()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """start(environment, "celery", "-A", …) runs one of our commands; all end with the test."""
    running: list[subprocess.Popen[bytes]] = []

    def begin(environment: dict[str, str], *command: str) -> subprocess.Popen[bytes]:
        with (tmp_path / f"{len(running)}.log").open("wb") as log:
            process = Popen(
                [sys.executable, *command],
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        running.append(process)
        return process

    yield begin
    for process in running:
        process.terminate()
    for process in running:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        end_session(process.pid)


@pytest.fixture
def worker(start, test_environment, tmp_path: Path) -> Callable[..., subprocess.Popen[bytes]]:
    """worker() starts Celery with its beat on the test's database; worker(REDIS_URL=…) on another broker.

    Without the schedule: it would retry a journey's dead letters before a slow machine comes to them.
    """

    def begin(**changes: str) -> subprocess.Popen[bytes]:
        schedule = str(tmp_path / f"beat-{time.monotonic_ns()}")
        command = ["-m", "celery", "-A", "dlqconsole.celery", "worker", "-c", "2", "-B", "-s", schedule]
        return start(test_environment | {"DLQ_RETRY_ENABLED": "false"} | changes, *command)

    return begin


@pytest.fixture
def consumer(start, test_environment) -> subprocess.Popen[bytes]:
    return start(test_environment, "manage.py", "consume", "order.created")


@pytest.fixture
def sign_in(live_server, page: Page, settings) -> Callable[[str], Page]:
    """sign_in("operator") makes that person and signs in by the form; the page shows the overview."""

    # a good hash takes long on purpose, twice for each person
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

    def enter(role: str) -> Page:
        user = User.objects.create_user(username=role, password=PASSWORD)
        user.groups.add(Group.objects.get_or_create(name=role)[0])
        page.goto(live_server.url)
        page.get_by_label("User name").fill(role)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{live_server.url}/")
        return page

    return enter


@pytest.fixture
def signed_in(live_server, page: Page) -> Callable[[str], Page]:
    """signed_in("operator") is the page of a new person with that role, who has opened nothing yet."""

    def enter(role: str) -> Page:
        session = client_of(role).cookies[django_settings.SESSION_COOKIE_NAME]
        page.context.add_cookies([{"name": session.key, "value": session.value, "url": live_server.url}])
        return page

    return enter
