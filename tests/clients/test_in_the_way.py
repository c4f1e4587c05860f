"""The client is never in its host's way: it raises nothing, and holds nobody up."""

import logging
import os
import sys
import time

import dlq
import pytest

from dlqconsole.running.ports import free_port
from tests.clients.peers import Console

# A report takes 50 ms at most; the machine may be busy with something else.
GENEROUS = 2.0


def test_a_report_returns_while_the_console_does_not_answer(init, console):
    console.may_answer.clear()
    init(console.url)
    dlq.report(ValueError("no"), 1, key="1")
    assert console.asked.wait(10)
    begun = time.monotonic()
    for number in range(5):
        assert dlq.report(ValueError("no"), number, key=f"while it waits {number}")
    assert console.stored == [], "the server has not answered yet"
    assert time.monotonic() - begun < GENEROUS
    console.may_answer.set()
    assert dlq.flush(10)
    assert len(console.keys) == 6


def test_a_report_returns_while_the_disk_does_not_answer(init, console, monkeypatch):
    """A pipe that nobody reads stands for the disk: a write to it waits."""
    init(console.url)
    client = dlq._running[0]
    reader, writer = os.pipe()
    os.set_blocking(writer, True)
    append = client._spool.append
    hanging = []

    def hang(line):
        hanging.append(os.read(reader, 1))
        return append(line)

    monkeypatch.setattr(client._spool, "append", hang)
    begun = time.monotonic()
    for number in range(3):
        assert dlq.report(ValueError("no"), number, key=str(number))
    assert hanging == [], "the disk has not answered yet"
    assert time.monotonic() - begun < GENEROUS
    os.write(writer, b"...")
    assert dlq.flush(10)
    assert console.keys == ["0", "1", "2"]


def test_whatever_the_event_and_the_error_are_a_report_does_not_raise(init, console):
    class Broken(Exception):
        __slots__ = ()
        __cause__ = property(lambda self: 1 / 0)

        def __str__(self):
            raise RuntimeError("no words")

        def __getattr__(self, name):
            raise ValueError(name)

    class BrokenDict(dict):
        def items(self):
            raise RuntimeError("no items")

    init(console.url)
    dlq.report(Broken(), BrokenDict(a=1))
    dlq.report("no error at all", object(), type=7, key=object())  # type: ignore[arg-type]
    dlq.report(None, {"a": {1, "b"}}, headers=5)  # type: ignore[arg-type]
    dlq.recovered(object(), None)  # type: ignore[arg-type]

    @dlq.guard("order.created", key=lambda order: order.missing)
    def handle(order):
        raise LookupError("as it was")

    with pytest.raises(LookupError, match="as it was"):
        handle(1)
    assert dlq.flush(10)


def test_a_recursion_error_is_reported_too(init, console):
    def forever(number):
        return forever(number + 1)

    init(console.url)
    with pytest.raises(RecursionError), dlq.guard("order.created", event=1):
        forever(1)
    assert dlq.flush(10)
    assert console.stored[0]["error"]["type"] == "RecursionError"
    assert len(console.stored[0]["error"]["stacktrace"]) < 60_100


def test_before_init_nothing_is_reported_and_nothing_raised(caplog):
    dlq._running, dlq._warned = None, False
    assert dlq.report(ValueError("no"), 1) is None
    assert "report before dlq.init" in caplog.text
    dlq.recovered("shop", "1")
    assert dlq.flush(0)


@pytest.mark.parametrize(
    ("dsn", "sentence"),
    [
        ("redis://localhost", r"takes postgresql://.*not 'redis'"),
        ("", "not 'a text without a scheme'"),
        ("https://console.example.org", "needs a token"),
        ("postgresql://host/db?sslmod=x", "cannot read this PostgreSQL URL"),
    ],
)
def test_a_dsn_that_cannot_be_used_is_said_at_the_start(dsn, sentence):
    with pytest.raises(ValueError, match=sentence):
        dlq.init(dsn)


def test_without_psycopg_it_says_what_to_install(run):
    program = run(
        "http://t@127.0.0.1:1",
        "sys.modules['psycopg'] = None\n"
        "try: dlq.init('postgresql://host/db')\n"
        "except ValueError as error: print(error)",
    )
    assert "pip install 'dlq[postgres]'" in program.communicate(timeout=30)[0]


def test_a_new_init_takes_over_what_the_one_before_has_not_sent(init, caplog):
    closed = free_port()
    init(f"http://t@127.0.0.1:{closed}")
    dlq.report(ValueError("no"), 1, key="1")
    init(f"http://new-token@127.0.0.1:{closed}")
    back = Console(closed)
    assert dlq.flush(10)
    assert back.keys == ["1"]
    assert back.requests[0][1]["Authorization"] == "Bearer new-token"
    back.close()


def test_the_log_says_once_that_the_console_is_away_and_shows_no_password(init, caplog):
    caplog.set_level(logging.INFO, "dlq")
    init(f"http://s3cret@127.0.0.1:{free_port()}")
    dlq.report(ValueError("no"), {"card": "4111"}, key="1")
    for _ in range(5):
        assert not dlq.flush(0.1)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "the console does not answer" in caplog.text
    assert "s3cret" not in caplog.text
    assert "4111" not in caplog.text


@pytest.mark.parametrize("name", ["dlqconsole", "django", "psycopg", "celery"])
def test_importing_it_imports_nothing_else(run, name):
    assert "dlqconsole" in sys.modules
    program = run("http://t@127.0.0.1:1", f"print({name!r} in sys.modules)")
    assert program.communicate(timeout=30)[0].split() == ["False"]
