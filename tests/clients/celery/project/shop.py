"""A small shop. What its worker does goes to one file; while another one is there, its bank is away."""

import enum
import os
import signal
import socket
import time
from pathlib import Path

import dlq
from celery import Celery, Task, chain, chord
from celery.exceptions import Ignore, Reject
from celery.signals import task_postrun, task_prerun
from dlq import flood_gate as dlq_gate

FOLDER = Path(os.environ["SHOP_FOLDER"])
BROKEN = FOLDER / "broken"

app = Celery("shop", broker=os.environ["SHOP_BROKER"], backend=os.environ["SHOP_BROKER"])
app.conf.update(
    task_default_queue="shop-mail",
    task_routes={"shop.pack": {"queue": "shop-parcels"}},
    # the pickled messages of `keep` alone
    accept_content=["json", "pickle"],
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    broker_transport_options={"polling_interval": 0.05},
    result_expires=3600,
)
dlq.init(
    os.environ["SHOP_CONSOLE"],
    spool=os.environ["SHOP_SPOOL"],
    release="1.4.2",
    drain_rate=float(os.environ.get("SHOP_DRAIN_RATE", "500")),
)
# of a machine that is busy with other tests
dlq_gate.WAIT = float(os.environ.get("SHOP_GATE_WAIT", "10"))


def timed(report):
    """Note how long each report keeps its task waiting."""

    def run(*arguments, **more):
        begun = time.perf_counter()
        try:
            return report(*arguments, **more)
        finally:
            with (FOLDER / "seconds").open("a") as file:
                file.write(f"{time.perf_counter() - begun:.6f}\n")

    return run


dlq.report = timed(dlq.report)


@task_prerun.connect
def begin(task, **_):
    task.request.begun = time.perf_counter()


@task_postrun.connect
def note_duration(task, **_):
    """Note how long each task took, with all that its failure set in motion."""
    with (FOLDER / "durations").open("a") as file:
        file.write(f"{time.perf_counter() - task.request.begun:.6f}\n")


class Size(enum.Enum):
    SMALL = "small"


class Order:
    """What no JSON can hold."""


class BankIsAway(Exception):
    """The bank does not answer."""


def done(name, *values):
    with (FOLDER / "done").open("a") as file:
        file.write(f"{name} {values!r}\n")


def ask_the_bank():
    if BROKEN.exists():
        raise BankIsAway("bank.example.org did not answer in 5 s")


@app.task(name="shop.charge")
def charge(*args, **kwargs):
    ask_the_bank()
    done("charge", args, kwargs)
    return len(args)


@app.task(name="shop.pack")
def pack(order):
    ask_the_bank()
    done("pack", order)
    return order


@app.task(name="shop.send_bill", bind=True, max_retries=2)
def send_bill(self, order):
    done("try", order)
    try:
        ask_the_bank()
    except BankIsAway as error:
        raise self.retry(exc=error, countdown=0.01) from error
    done("bill", order)


@app.task(name="shop.send_bills", bind=True, max_retries=1)
def send_bills(self, *orders):
    """Go on with the next one, and try those that failed again, as mailers do."""
    for order in orders:
        try:
            ask_the_bank()
        except BankIsAway as error:
            self.retry([order], exc=error, countdown=0.01, throw=False)


@app.task(name="shop.keep", serializer="pickle")
def keep(*args):
    ask_the_bank()
    done("keep", *args)


@app.task(name="shop.ship")
def ship(parcels, order):
    done("ship", parcels, order)


@app.task(name="shop.fail")
def fail(order):
    raise BankIsAway(f"no money for {order}")


@app.task(name="shop.leave", bind=True)
def leave(self, how):
    raise {"ignore": Ignore(), "reject": Reject("no", requeue=False)}[how]


@app.task(name="shop.crash", bind=True)
def crash(self, order):
    """End the process, as the kernel does where memory is short."""
    done("crash", order)
    if BROKEN.exists():
        os.kill(os.getpid(), signal.SIGKILL)


@app.task(name="shop.pay", bind=True, flood_gate=True, max_retries=0)
def pay(self, port, order):
    """Have a real bank book it."""
    with socket.create_connection(("127.0.0.1", port), 5) as bank:
        bank.sendall(f"{order} {self.request.retries}\n".encode())
        if bank.recv(2) != b"ok":
            raise BankIsAway("it closed")
    return order


@app.task(name="shop.wait", time_limit=1)
def wait(order):
    if BROKEN.exists():
        time.sleep(60)
    done("wait", order)


@app.task(name="shop.early", acks_late=False)
def early(order):
    if BROKEN.exists():
        os.kill(os.getpid(), signal.SIGKILL)
    done("early", order)


__all__ = ["Task", "chain", "chord"]
