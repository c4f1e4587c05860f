"""A server of SQS on loopback (moto's), in a process of its own, and queues on it."""

import contextlib
import os
import socket
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

import boto3
import pytest

from dlqconsole.running.ports import free_port
from dlqconsole.transports import attachments
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.sqs import client as sqs_client
from tests.starting import Popen
from tests.waiting import as_soon_as, eventually

_numbers = count(1)


@pytest.fixture(scope="session")
def sqs_server() -> Iterator[str]:
    """Its address."""
    port = free_port()
    server = Popen([sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(port)])
    eventually(lambda: _listens(port))
    yield f"http://127.0.0.1:{port}"
    server.terminate()
    server.wait()


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


@pytest.fixture
def sqs(sqs_server, monkeypatch) -> Iterator[Any]:
    """A client of theirs, and the settings by which ours finds the server."""
    for name, value in (
        ("AWS_ENDPOINT_URL_SQS", sqs_server),
        ("AWS_DEFAULT_REGION", "eu-central-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_CONFIG_FILE", os.devnull),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ):
        monkeypatch.setenv(name, value)
    sqs_client._client.cache_clear()
    yield boto3.client("sqs")
    sqs_client._client.cache_clear()


class Pair:
    """A queue and its dead-letter queue."""

    def __init__(self, sqs: Any, *, is_fifo: bool = False) -> None:
        ending = ".fifo" if is_fifo else ""
        kind = {"FifoQueue": "true"} if is_fifo else {}
        self.sqs, self.name = sqs, f"orders{next(_numbers)}{ending}"
        self.dead_name = self.name.replace("orders", "orders-dead")
        self.dead = sqs.create_queue(QueueName=self.dead_name, Attributes=kind)["QueueUrl"]
        answer = sqs.get_queue_attributes(QueueUrl=self.dead, AttributeNames=["QueueArn"])
        arn = answer["Attributes"]["QueueArn"]
        redrive = {"RedrivePolicy": f'{{"deadLetterTargetArn": "{arn}", "maxReceiveCount": "1"}}'}
        self.url = sqs.create_queue(QueueName=self.name, Attributes=kind | redrive)["QueueUrl"]

    def send(self, body: str, **more: Any) -> str:
        return self.sqs.send_message(QueueUrl=self.url, MessageBody=body, **more)["MessageId"]

    def receive(self, url: str = "") -> list[dict[str, Any]]:
        """Receive what is there, and leave it visible."""
        answer = self.sqs.receive_message(
            QueueUrl=url or self.url,
            MaxNumberOfMessages=10,
            VisibilityTimeout=0,
            MessageAttributeNames=["All"],
            MessageSystemAttributeNames=["All"],
        )
        return answer.get("Messages", [])

    def give_up(self) -> None:
        """Their consumers receive and never delete, until SQS moves it to the dead-letter queue."""
        as_soon_as(lambda: not self.receive())

    def waiting(self, url: str = "") -> int:
        name = "ApproximateNumberOfMessages"
        answer = self.sqs.get_queue_attributes(QueueUrl=url or self.url, AttributeNames=[name])
        return int(answer["Attributes"][name])


@pytest.fixture
def pair(sqs) -> Pair:
    """A new queue and its dead-letter queue."""
    return Pair(sqs)


@pytest.fixture
def attached(pair, transactional_db) -> AttachedQueue:
    """The dead-letter queue, attached."""
    return attachments.attach(f"sqs:{pair.dead_name}", actor="test")
