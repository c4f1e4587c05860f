"""Queues of SQS, as far as the console uses them: dead-letter queues are taken over, and revives are sent.

SQS says what it still holds in numbers only: nobody can ask what became of one message.
"""

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dlqconsole.core.errors import InvalidMessage, InvalidQueue
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.sending import sendable_delay
from dlqconsole.transports.sqs.client import client, queue_url
from dlqconsole.transports.sqs.messages import outgoing, source_of
from dlqconsole.transports.target import DeadLetterQueue, QueueMetrics, Target

LONGEST_DELAY = 900
# each queue is asked by a request of its own
LOOK_SECONDS = 60
_COUNTS = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)


class SqsTarget(Target):
    """Sends to the queue where a message failed. What is sent again carries the same ``dlq_revive_id``."""

    prefix = "sqs"
    marks_repeats = True
    takes_over = True
    not_claimed = "The console takes over dead-letter queues of SQS, and claims from no other queue there."

    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, Any] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Send one message: to the queue of origin, if it came to this dead-letter queue from one.

        Return its id. Raises InvalidMessage, UnknownQueue, TransportUnavailable.
        """
        seconds = sendable_delay(delay_seconds)
        if seconds != int(seconds) or seconds > LONGEST_DELAY:
            raise InvalidMessage(f"SQS holds a message back for whole seconds, {LONGEST_DELAY} at most.")
        with client() as sqs:
            to = self._destination(sqs, queue, headers or {})
            is_fifo = to.endswith(".fifo")
            sent = outgoing(payload, headers or {}, dedupe_key, is_fifo=is_fifo)
            if seconds:
                sent["DelaySeconds"] = int(seconds)
            return str(sqs.send_message(QueueUrl=queue_url(sqs, to), **sent)["MessageId"])

    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return all ids: SQS does not say."""
        return set(ids)

    def tells_of(self, message_id: str) -> bool:
        """Tell that it does not."""
        return False

    def metrics(self, queue: str) -> QueueMetrics:
        """Return SQS's own figures, which it calls approximate."""
        with client() as sqs:
            answer = sqs.get_queue_attributes(QueueUrl=queue_url(sqs, queue), AttributeNames=list(_COUNTS))
        visible, in_flight, scheduled = (int(answer["Attributes"].get(name, 0)) for name in _COUNTS)
        return QueueMetrics(queue, visible, in_flight, scheduled, None)

    def check(self, queue: str) -> None:
        """Raise UnknownQueue where it is not there, InvalidQueue where it is no dead-letter queue."""
        with client() as sqs:
            if not sources(sqs, queue):
                raise InvalidQueue(
                    f"SQS's queue {queue!r} is no queue's dead-letter queue, and attached, it would lose its"
                    " messages to the console. Attach the queue that its redrive policy names."
                )

    def dead_letter_queues(self, attached: Sequence[str]) -> list[DeadLetterQueue]:
        """Return the queues that a redrive policy names. SQS does not say who receives from a queue."""
        deadline = time.monotonic() + LOOK_SECONDS
        messages: dict[str, int] = {}
        sources: dict[str, list[str]] = defaultdict(list)
        with client() as sqs:
            for page in sqs.get_paginator("list_queues").paginate(PaginationConfig={"PageSize": 1000}):
                for url in page.get("QueueUrls", ()):
                    if time.monotonic() > deadline:
                        raise TransportUnavailable(f"SQS has more queues than answer in {LOOK_SECONDS} s.")
                    name = url.rpartition("/")[2]
                    answer = sqs.get_queue_attributes(
                        QueueUrl=url, AttributeNames=["RedrivePolicy", _COUNTS[0]]
                    )
                    attributes = answer.get("Attributes", {})
                    messages[name] = int(attributes.get(_COUNTS[0], 0))
                    if policy := attributes.get("RedrivePolicy"):
                        arn = json.loads(policy).get("deadLetterTargetArn", "")
                        sources[arn.rpartition(":")[2]].append(name)
        return [
            DeadLetterQueue(name, tuple(names), messages.get(name)) for name, names in sorted(sources.items())
        ]

    def _destination(self, sqs: Any, queue: str, headers: Mapping[str, Any]) -> str:
        if to := source_of(queue, headers):
            return to
        names = sources(sqs, queue)
        if len(names) > 1:
            raise InvalidMessage(f"Nobody noted on which of {', '.join(sorted(names))} it failed.")
        return names[0] if names else queue


def sources(sqs: Any, queue: str) -> list[str]:
    """Return the queues whose dead-letter queue it is."""
    answer = sqs.list_dead_letter_source_queues(QueueUrl=queue_url(sqs, queue))
    return [str(url).rpartition("/")[2] for url in answer.get("queueUrls", ())]
