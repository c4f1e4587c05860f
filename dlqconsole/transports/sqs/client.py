"""The client of SQS, one a process, which its threads share. Its errors become sentences.

Address, region and credentials are found where AWS's own tools find them: environment, profile, role.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from dlqconsole.core.errors import EngineError, InvalidMessage, UnknownQueue
from dlqconsole.transports.errors import TransportUnavailable

NOT_INSTALLED = "SQS needs a package that is not installed: pip install 'dlqconsole[sqs]'"
# the whole of one answer: the relay holds rows of ours locked meanwhile
CONNECT_SECONDS, ANSWER_SECONDS, ATTEMPTS = 5, 10, 2
_GONE = {"AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"}
_REFUSED = {
    "InvalidMessageContents", "InvalidParameterValue", "MissingParameter", "InvalidAttributeValue",
    "UnsupportedOperation", "AWS.SimpleQueueService.UnsupportedOperation", "RequestTooLarge",
    "ValidationError",
}  # fmt: skip


@contextmanager
def client() -> Iterator[Any]:
    """Yield this process's client. Raises UnknownQueue, InvalidMessage, TransportUnavailable."""
    try:
        from botocore import exceptions
    except ImportError:
        raise TransportUnavailable(f"{NOT_INSTALLED}.") from None
    try:
        yield _client(os.getpid())
    except (exceptions.ClientError, exceptions.BotoCoreError) as error:
        raise _explain(error) from None


def queue_url(sqs: Any, queue: str) -> str:
    """Return the address of a queue by its name."""
    if not 0 < len(queue) <= 80:
        raise UnknownQueue("The name of a queue of SQS has 1 to 80 characters.")
    return _url(sqs, queue)


@cache
def _url(sqs: Any, queue: str) -> str:
    # a queue that was made again has the same
    return str(sqs.get_queue_url(QueueName=queue)["QueueUrl"])


@cache
def _client(_process: int) -> Any:
    """Return the process's own client: after a fork the parent's connections are not ours to use."""
    import boto3
    from botocore.config import Config

    return boto3.client(
        "sqs",
        config=Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=ANSWER_SECONDS,
            retries={"total_max_attempts": ATTEMPTS},
        ),
    )


def _explain(error: Any) -> EngineError:
    answer = getattr(error, "response", {}).get("Error", {})
    code = str(answer.get("Code", ""))
    words = " ".join(str(answer.get("Message") or error).split()).rstrip(".")[:300]
    if code in _GONE or code.endswith(".NonExistentQueue"):
        return UnknownQueue(f"SQS has no such queue: {words}.")
    if code in _REFUSED:
        return InvalidMessage(f"SQS does not take it: {words}.")
    return TransportUnavailable(f"SQS cannot be used: {words}.")
