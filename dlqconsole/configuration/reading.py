"""Reads and checks the settings of a process. A person learns of every mistake at once."""

import os
import reprlib
import secrets
import sys
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from dlqconsole.configuration.checks import without_account
from dlqconsole.configuration.demo_environment import load_demo_environment
from dlqconsole.configuration.places import IS_INSTALLED
from dlqconsole.configuration.settings import NAMES, SECRETS, AllSettings, Settings

OURS, OF_TESTS = "DLQ_", "DLQ_TEST_"
# read by somebody else: the command line, the demo and its servers, the tests
OTHERS = {
    f"{OURS}{name}"
    for name in (
        *("TOKEN", "DEMO_PASSWORD", "PG_HOME", "VALKEY_SERVER"),
        *("CHROMIUM", "MARIADB", "CRASH_POINT", "PIN"),
        *("ADMIN", "ADMIN_PASSWORD"),
    )
}
# of a project's own site: values that pass, and that nobody reads
_NOT_OURS = {
    "SECRET_KEY": secrets.token_urlsafe(50),
    "DATABASE_URL": "postgresql://nobody@localhost/none",
    "ALLOWED_HOSTS": [],
    "CSRF_TRUSTED_ORIGINS": [],
    "DEBUG": False,
    "LOG_LEVEL": "INFO",
    "DLQ_MAIL_URL": "smtp://localhost",
}


class BadSettings(ValueError):
    """Invalid settings: one line for each, which never holds the value of a secret."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def read_settings(**instead: str) -> Settings:
    """Read the settings from the environment, and from a running demo. Raises BadSettings.

    An empty value counts as not set. ``instead``: values that replace those of the environment.
    """
    load_demo_environment()
    return _read(without_empty(instead))


def read_for_project(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Read the settings of a Django project that has us as a guest. Raises BadSettings.

    ``given``: what its own settings say; they count more than the environment. What concerns a whole site is
    the project's, and is not read.
    """
    without_value = {name: value for name, value in defaults.items() if not os.environ.get(name)}
    return _read({**without_value, **given, **_NOT_OURS}).plain()


def _read(values: Mapping[str, Any]) -> Settings:
    try:
        return AllSettings(**values)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False)
        raise BadSettings([_line(str(each["loc"][0]), each) for each in details]) from None


def read_or_exit() -> Settings:
    """Read the settings, or end the process with one line for each invalid one, and no traceback."""
    warn_of_unknown_names()
    try:
        return read_settings()
    except BadSettings as error:
        sys.exit("\n".join(f"dlqconsole cannot start: {problem}." for problem in error.problems))


def warn_of_unknown_names() -> None:
    """Say on the standard error which names look like settings and are none: a mistyped one sets nothing."""
    known = {*NAMES, *OTHERS}
    for name in sorted(os.environ):
        if name.startswith(OURS) and not name.startswith(OF_TESTS) and name not in known:
            print(f"{name!a} is no setting and is ignored.", file=sys.stderr)


def without_empty(values: Mapping[str, str]) -> dict[str, Any]:
    """The values that say something."""
    return {name: value for name, value in values.items() if value}


def _line(name: str, error: Any) -> str:
    if error["type"] == "missing":
        where = "dlqconsole up is not running" if IS_INSTALLED else "no demo is running in this checkout"
        return f"{name} is not set, and {where}"
    value = "" if name in SECRETS else f" is {_quoted(error['input'])}"
    return f"{name}{value}: {error['msg'].removeprefix('Value error, ').rstrip('.')}"


def _quoted(value: object) -> str:
    text = str(value)
    shown = without_account(text)
    return reprlib.repr(value if shown == text else shown)
