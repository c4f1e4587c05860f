"""Celery: a worker reports each task that finally failed, and says so when one of them succeeds after all.

    dlq.init("postgresql://dlq_reporter@db/console")    # in the module of your Celery application

A retry is no failure, nor is `Ignore`, or a task that was revoked or has expired. A task whose process is
lost again and again, and which `reject_on_worker_lost` gives back each time, is given up at the third time.
"""

from __future__ import annotations

import contextlib
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import kombu.serialization
from billiard.einfo import ExceptionInfo, ExceptionWithTraceback
from celery import current_task, signals
from celery.app.task import Context, Task
from celery.exceptions import InvalidTaskError, NotRegistered, TimeLimitExceeded, WorkerLostError
from celery.worker import request as celery_request
from celery.worker import state

import dlq

from .failed_ids import FailedIds
from .values import CannotDecode, decode

LOSSES = 3
# a revived task brings it; what the console sends again, and what becomes of that, has the same one
REVIVAL = "x-dlq-revive-seq"
# how arguments are sent that JSON alone cannot hold: a worker that cannot read them refuses the task
SERIALIZER, CONTENT_TYPE = "dlq", "application/x-dlq+json"
_ROUTING = ("exchange", "routing_key", "priority")
_EMBEDDED = ("callbacks", "errbacks", "chain", "chord")
_KEPT = (
    *("root_id", "parent_id", "group", "group_index", "shadow", "timelimit", "origin", "retries", "reply_to"),
    *("ignore_result", "replaced_task_nesting", "stamped_headers", "stamps"),
)

_request: ContextVar[Request | None] = ContextVar("dlq_celery_request", default=None)
_losses: OrderedDict[str, int] = OrderedDict()
_failed_ids: FailedIds | None = None
_name: str | None = None


def install(name: str | None = None, *, folder: str | None = None) -> None:
    """Hear what becomes of the tasks of this process.

    The name is the application's at the console, else the one that it was made with: `Celery("shop")`.
    """
    global _name, _failed_ids
    _name = name or _name
    _failed_ids = FailedIds(folder)
    kombu.serialization.register(SERIALIZER, json.dumps, _loads, CONTENT_TYPE, "utf-8")
    Task.Request = f"{__name__}:Request"
    for signal, receiver in (
        (signals.celeryd_init, _accept),
        (signals.task_failure, _failed),
        (signals.before_task_publish, _published),
        (signals.task_success, _succeeded),
        (signals.task_unknown, _unknown),
        (signals.task_rejected, _rejected),
    ):
        signal.connect(receiver, weak=False, dispatch_uid=f"dlq.{receiver.__name__}")


class TaskLost(Exception):
    """The process of a task was lost each time that it ran, so it is not given back once more."""

    category = "PERMANENT"


class Request(celery_request.Request):
    """A task in the worker's main process, which hears of what no process of the pool could tell."""

    was_told = False

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        if isinstance(self._args, _Unreadable):
            raise InvalidTaskError(self._args.why)

    def on_timeout(self, soft: bool, timeout: float) -> None:
        with self._heard():
            super().on_timeout(soft, timeout)
            # until Celery 5.6 no signal told of it
            if not (soft or state.should_terminate):
                self.tell(TimeLimitExceeded(timeout))

    def on_failure(self, exc_info: Any, send_failed_event: bool = True, return_ok: bool = False) -> Any:
        with self._heard():
            return super().on_failure(self._given_up(exc_info), send_failed_event, return_ok)

    def tell(self, error: BaseException) -> None:
        """Report the failure, once: of a time limit both methods hear."""
        if not self.was_told:
            self.was_told = True
            _report(error, self.task, self._context, self._args, self._kwargs)

    @contextlib.contextmanager
    def _heard(self) -> Iterator[None]:
        token = _request.set(self)
        try:
            yield
        finally:
            _request.reset(token)

    def _given_up(self, exc_info: Any) -> Any:
        """Return another error for a task that must not go back to its queue once more."""
        error = exc_info.exception
        error = error.exc if isinstance(error, ExceptionWithTraceback) else error
        task = self.task
        if (
            not isinstance(error, (WorkerLostError, SystemExit))
            or not (task.acks_late and task.reject_on_worker_lost)
            or getattr(task, "retry_on_worker_lost", False)
            or self._already_revoked
            or self._already_cancelled
            or state.should_terminate
        ):
            return exc_info
        count = _losses.pop(self.id, 0) + 1
        if count < LOSSES:
            _losses[self.id] = count
            if len(_losses) > 10_000:
                _losses.popitem(last=False)
            return exc_info
        try:
            raise TaskLost(f"its process was lost {count} times: {error}")
        except TaskLost:
            return ExceptionInfo()


def _accept(conf: Any = None, **_: Any) -> None:
    """Let the worker take what the console sends."""
    accepted = conf.accept_content or ()
    if SERIALIZER not in accepted:
        conf.accept_content = [*accepted, SERIALIZER]


def _failed(
    sender: Any = None, exception: Any = None, args: Any = None, kwargs: Any = None, **_: Any
) -> None:
    if request := _request.get():
        request.tell(exception)
    elif not sender.request.is_eager:
        _report(exception, sender, sender.request, args, kwargs)


def _published(headers: Any = None, **_: Any) -> None:
    """Note of a task that it sends itself once more: `retry(throw=False)` returns, and all is not done."""
    if current_task and headers and headers.get("id") == current_task.request.id:
        current_task.request.dlq_goes_on = True


def _succeeded(sender: Any = None, **_: Any) -> None:
    context = sender.request
    if context.is_eager or getattr(context, "dlq_goes_on", False):
        return
    revived = REVIVAL in (context.headers or ())
    if revived or (_failed_ids is not None and context.id in _failed_ids):
        dlq.recovered(source=f"celery:{_app_name(sender.app)}", key=context.id)


def _unknown(sender: Any = None, message: Any = None, name: str = "", **_: Any) -> None:
    _report_message(NotRegistered(name), sender.app, message)


def _rejected(sender: Any = None, message: Any = None, exc: Any = None, **_: Any) -> None:
    _report_message(exc or InvalidTaskError("the message is none of a task"), sender.app, message)


def _report_message(error: BaseException, app: Any, message: Any) -> None:
    """Report a message that came to no task of this worker's."""
    headers = dict(message.headers or {})
    with contextlib.suppress(Exception):
        args, kwargs, embedded = message.payload
        if not isinstance(args, _Unreadable):
            context = Context({**headers, **(embedded or {}), "delivery_info": message.delivery_info})
            context.update(reply_to=message.properties.get("reply_to"))
            return _send(error, app, headers["task"], context, args, kwargs, category="PERMANENT")
    body = bytes(message.body) if isinstance(message.body, memoryview) else message.body
    _send(
        error, app, headers.get("task"), Context({**headers, "delivery_info": message.delivery_info}),
        event={"body": body, "content_type": message.content_type}, category="PERMANENT",
    )  # fmt: skip


def _report(error: BaseException, task: Any, context: Any, args: Any, kwargs: Any) -> None:
    _send(error, task.app, task.name, context, args, kwargs)
    if _failed_ids is not None and context.id:
        _failed_ids.add(context.id)


def _send(
    error: BaseException,
    app: Any,
    name: str | None,
    context: Any,
    args: Any = (),
    kwargs: Any = None,
    *,
    event: dict[str, Any] | None = None,
    category: str | None = None,
) -> None:
    """Report a failure, with all that it takes to run the task again."""
    if event is None:
        event = {"args": list(args or ()), "kwargs": dict(kwargs or {})}
        event |= {part: value for part in _EMBEDDED if (value := getattr(context, part, None))}
    info = context.delivery_info or {}
    accepted = app.conf.accept_content or ()
    task = {
        "task": name,
        "id": context.id,
        "lang": "py",
        "queue": _queue(app, info),
        **{part: info[part] for part in _ROUTING if info.get(part) is not None},
        **{part: value for part in _KEPT if (value := getattr(context, part, None)) is not None},
        "content_type": "application/json" if {"json", "application/json"} & set(accepted) else CONTENT_TYPE,
    }
    headers = dict(context.headers or {})
    application = f"celery:{_app_name(app)}"
    dlq.report(
        error, event, type=name, source=application, key=context.id, queue=application, category=category,
        headers={**headers, "celery": task}, traceparent=headers.get("traceparent"),
    )  # fmt: skip


def _queue(app: Any, delivery: Mapping[str, Any]) -> str | None:
    """Return the queue that the task came from. A broker tells its exchange and routing key only."""
    exchange, key = delivery.get("exchange"), delivery.get("routing_key")
    if not exchange:
        return key
    queues = [queue for queue in app.amqp.queues.consume_from.values() if queue.exchange.name == exchange]
    exact = [queue for queue in queues if queue.routing_key == key]
    for choice in (exact, queues):
        if len(choice) == 1:
            return str(choice[0].name)
    return None


def _app_name(app: Any) -> str:
    return _name or app.main or "celery"


class _Unreadable(list):  # type: ignore[type-arg]
    """Arguments that cannot be made here of what the console sent."""

    def __init__(self, why: str) -> None:
        super().__init__()
        self.why = why


def _loads(text: str) -> list[Any]:
    args, kwargs, embedded = json.loads(text)
    try:
        return [decode(args), decode(kwargs), decode(embedded)]
    except CannotDecode as error:
        return [_Unreadable(str(error)), {}, {}]
