"""The relay's steps for a dead-letter queue of RabbitMQ: take over what came to it, forward what is revived.

RabbitMQ and PostgreSQL share no transaction. A page of messages is fetched, committed here, and only then
acknowledged: whatever dies before that, RabbitMQ delivers the page again. With it is committed what it was
made of, until it is known to be acknowledged. What RabbitMQ marks as delivered before, and is of such a page,
has its dead letter already.
"""

import json
import logging
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from dlqconsole.core.errors import InvalidQueue
from dlqconsole.core.named_sql import execute, fetch_dicts
from dlqconsole.hosting.database import transaction
from dlqconsole.processing.crash_points import reach
from dlqconsole.transports.dead_letters import keep
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.rabbitmq.messages import digest_of, new_dead_letter
from dlqconsole.transports.rabbitmq.target import RabbitmqTarget, from_settings
from dlqconsole.transports.relay.steps import forward, watch
from dlqconsole.transports.sql import sql

__all__ = ["dead_letter_exhausted", "forward", "watch"]

log = logging.getLogger(__name__)

PAGE = 200
# A page travels through this process, and its queue's row is locked meanwhile.
PAGE_BYTES = 8 * 1024 * 1024
FETCH_SECONDS = 10.0
OURSELVES_SECONDS = 0.5

# Pages that were acknowledged when their relay died stay in doubt, of which so many are remembered.
PAGES_IN_DOUBT = 20

# pages that are perhaps not acknowledged: of each, what it was made of
type InDoubt = dict[str, dict[str, int]]


def dead_letter_exhausted(queue: AttachedQueue, limit: int) -> int:
    """Take over a page of messages: dead letters here, gone there. Return the number of messages."""
    source = from_settings()
    _check(source, queue.remote_name)
    with source.connections.channel() as channel:
        with transaction.atomic(durable=True):
            rows = fetch_dicts(sql("rabbitmq.hold"), {"name": queue.name})
            messages = _fetch(channel, queue.remote_name, min(limit, PAGE)) if rows else []
            if not messages:
                return 0
            page = _keep(queue, messages, json.loads(rows[0]["in_doubt"]), rows[0]["now"])
            reach("adopt.keeping")
        reach("adopt.kept")
        channel.basic_ack(0, multiple=True)
        # answered after the acknowledgement was taken
        channel.queue_declare(queue.remote_name, passive=True)
        reach("adopt.acknowledged")
    execute(sql("rabbitmq.settle"), {"name": queue.name, "page": page})
    return len(messages)


def _check(source: RabbitmqTarget, queue: str) -> None:
    """Raise InvalidQueue for a queue with consumers. A quorum queue counts us as one for a moment, too."""
    deadline = time.monotonic() + OURSELVES_SECONDS
    while True:
        try:
            return source.check(queue)
        except InvalidQueue:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _fetch(channel: Any, queue: str, limit: int) -> list[Any]:
    messages: list[Any] = []
    size, deadline = 0, time.monotonic() + FETCH_SECONDS
    while len(messages) < limit and size < PAGE_BYTES and time.monotonic() < deadline:
        message = channel.basic_get(queue)
        if message is None:
            break
        messages.append(message)
        size += len(message.body)
    return messages


def _keep(queue: AttachedQueue, messages: Sequence[Any], in_doubt: InDoubt, now: datetime) -> str:
    """Write the dead letters of messages that have none. Return the name of the page that is now in doubt."""
    digests = [digest_of(message) for message in messages]
    new = [
        message
        for message, digest in zip(messages, digests, strict=True)
        if not (message.delivery_info["redelivered"] and _take(in_doubt, digest))
    ]
    if len(new) < len(messages):
        log.info("%s delivered %d messages again", queue.name, len(messages) - len(new))
    keep(queue.name, [new_dead_letter(message, queue.name, queue.remote_name, now) for message in new])
    name = f"{now.astimezone(UTC).isoformat()} {uuid4().hex}"
    older = sorted(each for each, rest in in_doubt.items() if rest)[1 - PAGES_IN_DOUBT :]
    pages = {each: in_doubt[each] for each in older} | {name: Counter(digests)}
    execute(sql("rabbitmq.doubt"), {"name": queue.name, "in_doubt": json.dumps(pages)})
    return name


def _take(in_doubt: InDoubt, digest: str) -> bool:
    """Take one message of that kind off a page in doubt. Return whether there was one."""
    for digests in in_doubt.values():
        if digest in digests:
            digests[digest] -= 1
            if not digests[digest]:
                del digests[digest]
            return True
    return False
