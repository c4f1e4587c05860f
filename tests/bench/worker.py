"""A process that works with one system: ``python -m tests.bench.worker ours``, told what by JSON lines."""

import importlib
import json
import os
import sys


def main(system: str) -> None:
    # what anybody prints must not stand between the answers
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    module = importlib.import_module(f"tests.bench.peers.{system}")
    peer = module.Peer(os.environ["DATABASE_URL"])
    _answer(answers, {"ready": True})
    for line in sys.stdin:
        order = json.loads(line)
        _answer(answers, getattr(peer, order.pop("do"))(**order))


def _answer(answers, values) -> None:
    answers.write(json.dumps(values) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
