"""A pytest plugin: while the tests are collected, which one processor does, another one works ahead.

A second process migrates the template of all databases (tests/database.py), for which the first tests would
wait. Then it imports the files of tests, from the last one on: what it has compiled, whoever collects them
from the first one on finds in the cache of Python. It is not needed for anything: without it, all is later.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from pytest_django.plugin import blocking_manager_key

from dlqconsole.system.processes import die_with

TESTS = Path(__file__).parent


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Iterator[object]:
    """Only where several processes run the tests: few tests are collected before the other one has begun."""
    option = session.config.option
    if option.processes < 2 or option.collectonly:
        return (yield)
    forked = multiprocessing.get_context("fork")
    collected = forked.Event()
    ahead = forked.Process(target=work_ahead, args=(session.config, collected, os.getpid()), daemon=True)
    ahead.start()
    try:
        return (yield)
    finally:
        collected.set()


def work_ahead(config: pytest.Config, collected: Event, parent: int) -> None:
    """In the second process. It says nothing: what goes wrong here goes wrong once more where it is heard."""
    die_with(parent, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    from tests.database import TestDatabase

    with config.stash[blocking_manager_key].unblock():
        TestDatabase(os.environ["DLQ_TEST_RUN"], os.environ["DLQ_TEST_PROCESS"]).make_template()
    for file in sorted(TESTS.rglob("test_*.py"), reverse=True):
        if collected.is_set():
            break
        _import(".".join(file.relative_to(TESTS.parent).with_suffix("").parts))


def _import(name: str) -> None:
    # a file that is skipped, or cannot be read, is told of by whoever collects it
    with suppress(BaseException):
        importlib.import_module(name)
