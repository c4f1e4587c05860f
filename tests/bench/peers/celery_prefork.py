"""Celery: its own worker, one process forked beforehand, late acknowledgements, a Valkey of its own."""

import os
import secrets
import subprocess
import sys
import time

import orjson
import redis
from celery import Celery

from dlqconsole.running.ports import free_port
from dlqconsole.system.processes import wait_for
from tests.bench.timing import Counted, payloads
from tools.temporary_folders import temporary_folder
from tools.valkey import Valkey

BROKER = "BENCH_BROKER"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

# no Django, whose connections it would look after for each task
app = Celery("bench", broker=os.environ.get(BROKER, "memory://"), fixups=())
app.conf.update(task_acks_late=True, task_ignore_result=True, worker_hijack_root_logger=False)


@app.task(name="bench")
def bench(payload: str) -> None:
    orjson.loads(payload)


class Peer:
    def __init__(self, url: str) -> None:
        home = temporary_folder("dlqconsole-bench-")
        valkey = Valkey(home, free_port(), secrets.token_urlsafe(12), secrets.token_urlsafe(12))
        valkey.prepare()
        self.server = subprocess.Popen(valkey.command(), **QUIET)
        wait_for(valkey.is_ready, 30)
        self.broker = valkey.admin_url()
        app.conf.broker_url = self.broker
        self.redis = redis.Redis.from_url(self.broker)

    def drain(self, seconds: float, warm: float, batch: int, tasks: int) -> Counted:
        """How many of so many tasks a worker does."""
        self.redis.flushall()
        with app.producer_or_acquire() as producer:
            for text in payloads(tasks):
                bench.apply_async((text,), producer=producer)
        worker = self._start(batch)
        try:
            wait_for(lambda: self._left() < tasks, 60)
            time.sleep(warm)
            begun, before = time.monotonic(), self._left()
            time.sleep(seconds)
            return {"done": before - self._left(), "begun": begun, "ended": time.monotonic()}
        finally:
            worker.terminate()
            worker.wait()

    def _start(self, batch: int) -> subprocess.Popen:
        options = ["--pool", "prefork", "--concurrency", "1", "--prefetch-multiplier", str(batch)]
        alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        return subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", __name__, "worker", *options, *alone],
            env=os.environ | {BROKER: self.broker},
            **QUIET,
        )

    def _left(self) -> int:
        """What waits, and what is not acknowledged."""
        return self.redis.llen("celery") + self.redis.hlen("unacked")
