"""A real RabbitMQ for the tests: a server of our own in a temporary folder, on loopback, never as root.

It takes some seconds to start and 130 MB, so that it is started for the first test that asks.
"""

import os
import secrets
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import amqp
import pytest

from dlqconsole.running.ports import LOOPBACK, answers, free_port
from dlqconsole.system.processes import Child, end_session, spawn, wait_for
from dlqconsole.transports.rabbitmq.target import RabbitmqTarget
from tools.postgres_account import ordinary_user, own
from tools.system_packages import RABBITMQ, ensure

# one scheduler, which sleeps where there is nothing to do
FRUGAL = "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none"
_numbers = count(1)


class Rabbit:
    """One server and its port mapper, which end with pytest, however that ends."""

    def __init__(self) -> None:
        self.programs = ensure(RABBITMQ).resolve()
        self.home = Path(tempfile.mkdtemp(prefix="dlqconsole-rabbitmq-"))
        self.user = ordinary_user() if os.geteuid() == 0 else None
        self.port, self.mapper_port, self.node_port = free_port(), free_port(), free_port()
        self.management_port = free_port()
        self.password = secrets.token_urlsafe(12) + "/@%"  # a URL must survive what passwords hold
        self.children: list[Child] = []
        self.connection: Any = None

    def start(self) -> None:
        """Run it until it answers."""
        lines = [
            f"listeners.tcp.1 = {LOOPBACK}:{self.port}",
            "default_user = console",
            f"default_pass = {self.password}",
            "log.file.level = error",
            f"management.tcp.ip = {LOOPBACK}",
            f"management.tcp.port = {self.management_port}",
        ]
        (self.home / "rabbitmq.conf").write_text("\n".join(lines) + "\n")
        (self.home / "plugins").write_text("[rabbitmq_management].")
        if self.user is not None:
            own(self.home, self.user)
        environment = {
            "PATH": os.defpath + ":/usr/sbin:/sbin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "ERL_EPMD_ADDRESS": LOOPBACK,
            "ERL_EPMD_PORT": str(self.mapper_port),
            "RABBITMQ_NODENAME": f"dlqconsole{self.port}@localhost",
            "RABBITMQ_DIST_PORT": str(self.node_port),
            "RABBITMQ_MNESIA_BASE": str(self.home / "data"),
            "RABBITMQ_LOG_BASE": str(self.home / "log"),
            "RABBITMQ_CONFIG_FILE": str(self.home / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(self.home / "advanced.config"),
            "RABBITMQ_CONF_ENV_FILE": str(self.home / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.home / "plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": FRUGAL,
        }
        # a port mapper of our own, or the server would leave one behind that outlives it
        self._run(["epmd"], environment)
        server = self._run([str(self.programs)], environment)
        wait_for(lambda: answers(self.port) or server.poll() is not None, 120)
        assert answers(self.port), (self.home / "out").read_text(errors="replace")

    def stop(self) -> None:
        """End it at once."""
        for child in reversed(self.children):
            end_session(child.pid)
            child.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def url(self) -> str:
        """What goes into DLQ_RABBITMQ_URL."""
        encoded = "".join(f"%{byte:02X}" for byte in self.password.encode())
        return f"amqp://console:{encoded}@{LOOPBACK}:{self.port}/"

    def management_url(self) -> str:
        """What goes into DLQ_RABBITMQ_MANAGEMENT_URL."""
        return f"http://{LOOPBACK}:{self.management_port}"

    def channel(self) -> Any:
        """A channel as any other program has it."""
        if self.connection is None or not self.connection.connected:
            self.connection = amqp.Connection(
                f"{LOOPBACK}:{self.port}", "console", self.password, confirm_publish=True
            )
            self.connection.connect()
        return self.connection.channel()

    def _run(self, command: list[str], environment: dict[str, str]) -> Child:
        with (self.home / "out").open("ab") as output:
            self.children.append(
                spawn(
                    command,
                    env=environment,
                    output=output,
                    death_signal=signal.SIGKILL,
                    user=self.user,
                    cwd=self.home,
                )
            )
        return self.children[-1]


class Queues:
    """A queue and the queue of its dead-letter exchange, with new names; ``kind``: classic or quorum."""

    def __init__(self, channel: Any, kind: str = "classic", **arguments: Any) -> None:
        self.channel, number = channel, next(_numbers)
        self.name, self.dead = f"orders{number}", f"orders{number}.dead"
        self.attached, self.exchange = f"rabbitmq:{self.dead}", f"dlx{number}"
        self._declare(self.dead, kind)
        channel.exchange_declare(self.exchange, "fanout", auto_delete=False)
        channel.queue_bind(self.dead, self.exchange)
        self._declare(self.name, kind, **{"x-dead-letter-exchange": self.exchange} | arguments)

    def put(self, body: bytes | str = b'{"order_id": 1}', queue: str = "", **properties: Any) -> None:
        """Publish to the queue, or to another, as a producer."""
        self.channel.basic_publish(amqp.Message(body, **properties), "", queue or self.name)

    def get(self, queue: str = "") -> Any:
        """The next message, acknowledged; None when there is none."""
        message = self.channel.basic_get(queue or self.name, no_ack=True)
        return message and _with_bytes(message)

    def fail(self, *bodies: bytes, **properties: Any) -> None:
        """Publish messages, all of which a consumer rejects."""
        before = self.waiting()
        for body in bodies or (b'{"order_id": 1}',):
            self.put(body, **properties)
        for _ in bodies or (1,):
            assert wait_for(self._rejects, 10)
        assert wait_for(lambda: self.waiting() == before + max(len(bodies), 1), 10)

    def fail_next(self) -> None:
        """A consumer rejects the message that is on the queue."""
        before = self.waiting()
        assert wait_for(self._rejects, 10)
        assert wait_for(lambda: self.waiting() > before, 10)

    def give_back(self) -> bool:
        """A consumer gives the next message back. Tell whether there was one."""
        message = self.channel.basic_get(self.name)
        if message is not None:
            self.channel.basic_reject(message.delivery_tag, requeue=True)
        return message is not None

    def waiting(self, queue: str = "") -> int:
        """The number of messages that are ready on the dead-letter queue, or on another."""
        return self.channel.queue_declare(queue or self.dead, passive=True).message_count

    def delete(self) -> None:
        """Delete both queues."""
        for name in (self.name, self.dead):
            self.channel.queue_delete(name)

    def _declare(self, name: str, kind: str, **arguments: Any) -> None:
        given = {"x-queue-type": kind} | arguments
        self.channel.queue_declare(name, durable=True, auto_delete=False, arguments=given)

    def _rejects(self) -> bool:
        message = self.channel.basic_get(self.name)
        if message is not None:
            self.channel.basic_reject(message.delivery_tag, requeue=False)
        return message is not None


def _with_bytes(message: Any) -> Any:
    message.body = message.body.encode() if isinstance(message.body, str) else bytes(message.body)
    return message


@pytest.fixture(scope="session")
def rabbit() -> Iterator[Rabbit]:
    """The server of this test run."""
    server = Rabbit()
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def rabbitmq_source(rabbit, settings) -> Iterator[RabbitmqTarget]:
    """The source, as it is configured."""
    settings.DLQ_RABBITMQ_URL = rabbit.url()
    settings.DLQ_RABBITMQ_MANAGEMENT_URL = rabbit.management_url()
    source = RabbitmqTarget(rabbit.url())
    yield source
    source.close()


@pytest.fixture
def queues(rabbit, rabbitmq_source) -> Iterator[Queues]:
    """A classic queue with its dead-letter queue."""
    channel = rabbit.channel()
    made = Queues(channel)
    yield made
    with suppress(Exception):
        made.delete()
        channel.close()
