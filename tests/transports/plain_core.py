"""Our queues by the core alone, as a service: a call a line comes in as JSON, and its answer goes out."""

import os
import sys

import orjson
import psycopg

from dlqconsole.core import messages
from dlqconsole.core.errors import EngineError
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.core.host import use
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.processing.outcomes import Failed, Succeeded

claims = {}


def claim(*request):
    messages.stage()  # a consumer's chore
    some = messages.claim(*request)
    claims.update({f"{each.lease_token} {each.id}": each for each in some})
    return [{**each._asdict(), "receipt": f"{each.lease_token} {each.id}"} for each in some]


def held(receipts):
    return [claims[receipt] for receipt in receipts]


CALLS = {
    "send": lambda queue, payload, headers, delay, key: messages.send(
        queue, payload.encode("latin-1"), headers, delay=float(delay), dedupe_key=key
    ),
    "claim": claim,
    "extend": lambda receipts, seconds: messages.extend(held(receipts), seconds),
    "complete": lambda receipts: messages.complete(held(receipts)),
    "release": lambda receipts, seconds: messages.snooze(held(receipts), seconds),
    "put_back": lambda receipts, event_type, seconds: messages.put_back(held(receipts), event_type, seconds),
    "finish": lambda receipts, names, records: messages.complete_handled(
        [
            (each, HandlerResult(Identity(**name), Succeeded(None, record)))
            for each, name, record in zip(held(receipts), names, records, strict=True)
        ]
    ),
    "dead_letter": lambda receipt, name, failure, status: messages.dead_letter(
        claims[receipt], Identity(**name), Failed(**failure), DeadLetterStatus(status)
    ),
}


def answer(line):
    name, *values = orjson.loads(line)
    try:
        return {"value": CALLS[name](*values)}
    except EngineError as error:
        return {"error": type(error).__name__, "words": str(error)}


def write(value):
    return sorted(value) if isinstance(value, set) else value.decode("latin-1")


if __name__ == "__main__":
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection, use(connection):
        for line in sys.stdin.buffer:
            print(orjson.dumps(answer(line), default=write).decode(), flush=True)
    assert "django" not in sys.modules
