"""The core without Django keeps the contract of every queue system, in an interpreter that has no Django."""

import subprocess
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
import pytest
from django.conf import settings

from dlqconsole.core import errors
from dlqconsole.transports.native.source import NativeSource
from dlqconsole.transports.source import Delivery
from tests.operations.processes import address_here
from tests.plain_sql import execute
from tests.transports.conformance import Bench, Conformance
from tests.without_django import plain_packages, start  # noqa: F401 - a fixture

SOON = "clock_timestamp() - interval '1 millisecond'"


class PlainCore(NativeSource):
    """Has a process without Django do the work, one for each thread. Only the looks at the queue are ours."""

    def __init__(self, packages: Any) -> None:
        super().__init__()
        self._packages = packages
        self._own = threading.local()
        self._processes: list[subprocess.Popen[str]] = []

    def send(self, queue, payload, headers=None, *, delay_seconds=0, dedupe_key=None):
        data = payload.encode() if isinstance(payload, str) else payload
        values = (data.decode("latin-1"), dict(headers or {}), str(delay_seconds), dedupe_key)
        return str(self._call("send", queue, *values))

    def claim(self, queue, limit, owner, lease_seconds):
        return [_delivery(row) for row in self._call("claim", queue, limit, owner, lease_seconds)]

    def extend(self, held_messages, lease_seconds):
        return self._ids("extend", held_messages, lease_seconds)

    def complete(self, held_messages):
        return self._ids("complete", held_messages)

    def finish(self, completions):
        names = [_name(result.identity) for _message, result in completions]
        records = [result.outcome.record_json for _message, result in completions]
        return self._ids("finish", [message for message, _result in completions], names, records)

    def release(self, held_messages, *, delay_seconds=0):
        return self._ids("release", held_messages, delay_seconds)

    def put_back(self, held_messages, event_type, *, delay_seconds):
        return self._ids("put_back", held_messages, event_type, delay_seconds)

    def dead_letter(self, message, identity, failure, status):
        words = {name: getattr(failure, name) for name in ("reason", "category", "error_class", "stacktrace")}
        return self._call("dead_letter", message.receipt, _name(identity), words, str(status))

    def end(self) -> None:
        for process in self._processes:
            process.communicate(timeout=30)
            assert process.returncode == 0, "it has imported Django, or failed"

    def _ids(self, name: str, held_messages: Sequence[Delivery], *values: Any) -> set[str]:
        receipts = [message.receipt for message in held_messages]
        return {str(number) for number in self._call(name, receipts, *values)}

    def _call(self, name: str, *values: Any) -> Any:
        process = getattr(self._own, "process", None) or self._start()
        process.stdin.write(orjson.dumps([name, *values]).decode() + "\n")
        process.stdin.flush()
        answer = orjson.loads(process.stdout.readline())
        if "error" in answer:
            raise getattr(errors, answer["error"])(answer["words"])
        return answer["value"]

    def _start(self) -> Any:
        limit = {"DLQ_MAX_PAYLOAD_BYTES": str(settings.DLQ_MAX_PAYLOAD_BYTES)}
        url = {"DATABASE_URL": address_here()}
        words = ("-m", "tests.transports.plain_core")
        self._own.process = start(self._packages, *words, variables=limit | url, stdin=subprocess.PIPE)
        self._processes.append(self._own.process)
        return self._own.process


def _name(identity: Any) -> dict[str, Any]:
    return {name: getattr(identity, name) for name in ("event_type", "source", "source_key", "digest")}


def _delivery(row: dict[str, Any]) -> Delivery:
    raw = row["payload_raw"]
    return Delivery(
        str(row["id"]),
        row["queue"],
        row["payload"],
        None if raw is None else raw.encode("latin-1"),
        row["headers"],
        row["retry_count"],
        row["receipt"],
        row["max_retries"],
        row["crash_count"],
    )


class TestTheCoreAlone(Conformance):
    test_features_keep_what_it_finished = None  # samples are a feature's, and need Django

    @pytest.fixture
    def bench(self, transactional_db, plain_packages) -> Iterator[Bench]:  # noqa: F811
        source = PlainCore(plain_packages)

        def time_passes() -> None:
            execute(f"UPDATE message_queue SET lease_until = {SOON} WHERE lease_until IS NOT NULL")
            execute(f"UPDATE message_queue SET next_retry_at = {SOON} WHERE status = 'scheduled'")

        yield Bench(source, "orders", "", "orders", time_passes)
        source.end()
