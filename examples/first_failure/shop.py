"""A Celery application of yours, with one line for the console."""

import os
from pathlib import Path

import dlq
from celery import Celery

app = Celery("shop", broker=os.environ["BROKER"])
dlq.init(os.environ["DSN"])


@app.task(name="shop.charge")
def charge(order: int, amount: str) -> None:
    """Fail as long as billing is away."""
    if not Path("billing-is-there").exists():
        raise ConnectionError(f"billing does not answer: order {order}")
