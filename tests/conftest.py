"""What all tests share: the cast of three with their administrator, and dead letters in one call."""

import gc
import json
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client, TransactionTestCase
from django.utils.timezone import now
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from dlqconsole.core.messages import queues as queue_policies
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.operations.requests import approval
from dlqconsole.retries.policies import reading as policies
from tests import spreading
from tests.accounts import entered, join
from tests.database import TestDatabase
from tests.moving import as_claimed
from tests.plain_sql import value
from tests.roles import emptied, roles  # noqa: F401 - fixtures

# Tests leave little in circles; looking for it after every 2,000 objects took a twentieth of their time.
OBJECTS_BETWEEN_COLLECTIONS = 50_000

# How long an example takes says how busy the machine is.
hypothesis_settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("tests")


def pytest_configure() -> None:
    """Hear Ctrl-C also in the background of a shell: what is started would ignore it as well."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """What is made here stays until the end: the collector need not look at it, neither now nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, 20, 20)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark what `make quick` omits, before marks select; then say what stays together."""
    for item in items:
        if "faults" in item.path.parts:
            item.add_marker("faults")
        for owner in ("browser", "spark"):
            if owner in item.fixturenames:
                item.add_marker(owner)
    yield
    spreading.order(items)


@pytest.fixture(scope="session", autouse=True)
def static_files_are_found_when_asked_for() -> Iterator[None]:
    """Not listed by each test client at its first request, which took longer than most pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "WHITENOISE_AUTOREFRESH", True, raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def handlers_run_in_this_process() -> Iterator[None]:
    """They see a test's transaction and settings. What a test starts as a program has processes for them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "DLQ_HANDLER_ISOLATION", "none")
        yield


@pytest.fixture(scope="session")
def test_database(pytestconfig, django_test_environment, django_db_blocker) -> Iterator[TestDatabase]:
    """This process's database. What commits outside a test of its own restores it."""
    database = TestDatabase(os.environ["DLQ_TEST_RUN"], os.environ["DLQ_TEST_PROCESS"])
    with django_db_blocker.unblock():
        database.create()
    pytestconfig.pluginmanager.register(database)
    yield database
    pytestconfig.pluginmanager.unregister(database)
    with django_db_blocker.unblock():
        database.drop()


@pytest.fixture(scope="session")
def django_db_setup(test_database) -> Iterator[None]:
    """Instead of pytest-django's: a copied database, restored where Django would flush it.

    And a session that forgets, where Django would begin another one.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda _case: test_database.restore())
        patch.setattr(
            TransactionTestCase, "_should_reload_connections", lambda _case: not test_database.renew_session()
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def thresholds_are_noted_already() -> Iterator[None]:
    """Else the first test of a process that asks for an operation would find a row more in the audit log."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(approval, "THRESHOLDS", ())
        yield


@pytest.fixture(autouse=True)
def signals_stop_the_run() -> Iterator[None]:
    """Not what a test ran in this process, and which took them for itself: Ctrl-C ends the tests."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture(autouse=True)
def everything_is_asked_for(request) -> Iterator[None]:
    """A test of a scope says ``asking_as``. Pages, commands and tasks forget this: they say who asks."""
    if request.node.get_closest_marker("nobody_asks"):
        yield
        return
    with asking_as(EVERYTHING):
        yield


@pytest.fixture(autouse=True)
def policies_are_read_anew() -> None:
    """What another test wrote is not kept for a second."""
    policies.forget()
    queue_policies.forget()


@pytest.fixture
def no_worker(monkeypatch) -> None:
    """An operation stands in PostgreSQL; nobody takes it up."""
    for place in ("service", "controls"):
        monkeypatch.setattr(f"dlqconsole.operations.requests.{place}.wake", lambda *_: None)


def signed_in(role: str, **flags: bool) -> Client:
    """A client of a new person with that role; "stranger" has none."""
    user = User.objects.create(username=role, last_login=now(), **flags)
    held = "" if role == "stranger" else role
    if held:
        join(user, held)
    return entered(user, held)


@pytest.fixture
def viewer(db) -> Client:
    return signed_in("viewer")


@pytest.fixture
def operator(db) -> Client:
    return signed_in("operator")


@pytest.fixture
def stranger(db) -> Client:
    return signed_in("stranger")


@pytest.fixture
def admin_user_client(db) -> Client:
    """An administrator, who may open Django's admin too."""
    return signed_in("admin", is_staff=True, is_superuser=True)


@pytest.fixture
def letter(db) -> Callable[..., int]:
    """letter(status="EXHAUSTED") inserts a dead letter as a plain SQL client would; its id."""

    def insert(event_type: str = "order.created", payload: Any = None, **columns: Any) -> int:
        values = {"error_reason": "Refused: billing said no", "error_category": "TRANSIENT"} | as_claimed(
            columns
        )
        # text is taken as the JSON itself; raw bytes stand alone
        text = payload if isinstance(payload, str) else json.dumps(payload or {"order_id": 1})
        values["payload"] = None if "payload_raw" in values else text
        names = ", ".join(["event_type", *values])
        places = ", ".join(["%s"] * (len(values) + 1))
        return value(
            f"INSERT INTO dlq_events ({names}) VALUES ({places}) RETURNING id", event_type, *values.values()
        )

    return insert
