"""What nobody can read is rejected once, with one line in the log; a real worker on a real Valkey goes on."""

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis
from django.conf import settings

from dlqconsole.celery import app
from dlqconsole.engine.known_handlers import WORK
from tests.celery_workers import KEYS, lose_all_wakeups
from tests.operations.processes import environment_here
from tests.starting import Popen
from tests.waiting import eventually

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

REJECTED = "rejected a message of the broker that nobody can read"
NO_MESSAGE = [b"\xff\xfe\x00garbage", b"hello", b"7", b"null", b"[]", b"{}", b"[" * 100_000]
# what is wrong with a message, by its place in it
WRONG = {
    ("properties",): [None, "x"],
    ("properties", "delivery_tag"): [{}, []],
    ("properties", "delivery_info"): ["x", {}],
    ("properties", "body_encoding"): ["rot13"],
    ("body",): [5, None, "%%%"],
    ("content-type",): ["application/x-python-serialize", None, {}],
    ("headers",): [None, [], "x", {}],
    ("headers", "id"): [None, {}],
    ("headers", "task"): [None, {}, "no.such.task"],
    ("headers", "eta"): ["yesterday", 5],
    ("headers", "expires"): [{}],
    ("headers", "compression"): ["nonsense"],
}
BODIES = [
    b"{broken",
    b'{"a": 1}',
    b"[[]]",
    b'["abc", {}, {}]',
    b"[5, 6, 7]",
    b"[[1, 2, 3], {}, {}]",
    b'[[], {"no_such": 1}, {}]',
    b'[[], {}, {"callbacks": 5}]',
]
# They are not looked at. Celery would fail over them when a process of the worker is taken already.
IDLE_TALK = {
    ("headers", "timelimit"): "x",
    ("headers", "stamped_headers"): 5,
    ("headers", "retries"): "x",
    ("headers", "group"): {},
}


@pytest.fixture
def sent() -> str:
    """A message as our senders write it, taken from the broker before anybody else did."""
    broker = redis.from_url(settings.REDIS_URL)
    lose_all_wakeups()
    app.send_task("operations.take_up", queue=WORK)
    return broker.lpop(KEYS[WORK]).decode()


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """A worker with one process, which is ready; what it has logged. It has to be there in the end."""
    log = tmp_path / "log"
    with log.open("wb") as output:
        line = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "dlqconsole.celery",
            "worker",
            "-c",
            "1",
            "--queues",
            WORK,
        ]
        process = Popen(
            [*line, "--loglevel=INFO"],
            env=os.environ | environment_here(),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        eventually(lambda: " ready." in log.read_text())
        yield log.read_text
        assert process.poll() is None
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def changed(sent: str, place: tuple[str, ...], value: object) -> bytes:
    message = json.loads(sent)
    at = message
    for name in place[:-1]:
        at = at[name]
    at[place[-1]] = value
    return json.dumps(message).encode()


def in_base64(body: bytes) -> str:
    return base64.b64encode(body).decode()


def malformed(sent: str) -> list[bytes]:
    found = [*NO_MESSAGE, *(changed(sent, place, value) for place in WRONG for value in WRONG[place])]
    return found + [changed(sent, ("body",), in_base64(body)) for body in BODIES]


def test_what_nobody_can_read_is_rejected_once_and_the_worker_goes_on(sent, worker):
    broker, bad = redis.from_url(settings.REDIS_URL), malformed(sent)
    for message in bad:
        broker.lpush(KEYS[WORK], message)
    broker.lpush(KEYS[WORK], sent)
    eventually(lambda: "succeeded" in worker())
    said = [line for line in worker().splitlines() if REJECTED in line]
    assert len(said) == len(bad)
    # a line each, and no trace of the calls
    assert "Traceback" not in worker()
    assert not broker.hlen(KEYS["unacked"])
    assert not broker.llen(KEYS[WORK])


def test_what_a_message_says_about_itself_takes_no_process_away(sent, worker):
    broker = redis.from_url(settings.REDIS_URL)
    for place, value in IDLE_TALK.items():
        broker.lpush(KEYS[WORK], changed(sent, place, value))
    eventually(lambda: worker().count("succeeded") == len(IDLE_TALK))
    assert REJECTED not in worker()


def test_nobody_answers_whoever_asks_a_worker_for_its_settings(worker):
    asked = app.control.inspect(timeout=2)
    assert asked.conf() is None
    assert asked.ping() is None
    # nor does anybody listen
    assert redis.from_url(settings.REDIS_URL).pubsub_channels("*pidbox*") == []
