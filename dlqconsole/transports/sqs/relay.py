"""The relay's steps for a dead-letter queue of SQS: take over what came to it, send back what is revived.

A message is committed here before it is deleted there. A relay that dies in between lets it come again, and
its dead letter is recognised by the message's id.
"""

from collections.abc import Mapping
from typing import Any

from dlqconsole.processing.crash_points import reach
from dlqconsole.transports.dead_letters import keep_once
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.relay.steps import forward, watch
from dlqconsole.transports.sqs.client import client, queue_url
from dlqconsole.transports.sqs.messages import new_dead_letter
from dlqconsole.transports.sqs.target import SqsTarget

__all__ = ["dead_letter_exhausted", "forward", "watch"]

# SQS gives no more at once
PAGE = 10


def dead_letter_exhausted(queue: AttachedQueue, limit: int) -> int:
    """Take over a page of messages: dead letters here, gone there. Return the number of messages."""
    SqsTarget().check(queue.remote_name)
    with client() as sqs:
        url = queue_url(sqs, queue.remote_name)
        answer = sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=min(limit, PAGE),
            VisibilityTimeout=queue.lease_seconds,
            MessageAttributeNames=["All"],
            MessageSystemAttributeNames=["All"],
        )
        messages = answer.get("Messages", [])
        for message in messages:
            _take_over(queue, message)
            reach("adopt.kept")
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return len(messages)


def _take_over(queue: AttachedQueue, message: Mapping[str, Any]) -> None:
    letter = new_dead_letter(message, queue.remote_name, queue.name)
    keep_once(queue.name, letter, f"{queue.name}/{letter.message_id}")
