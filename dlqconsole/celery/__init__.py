"""The Celery application. It carries wake-ups only: what there is to do stands in PostgreSQL.

Every tick below asks the database what is due, so a lost message, a flushed broker or a second
beat costs at most one interval and never an event.
"""

import os
import sys
from typing import Any

from celery import Celery, Task
from celery.signals import beat_init, task_prerun, worker_init, worker_ready
from kombu.transport import TRANSPORT_ALIASES

from dlqconsole import apps
from dlqconsole.configuration.program import PROGRAM
from dlqconsole.engine.known_handlers import PIPELINE, TICKS, WORK
from dlqconsole.features import Tick, features, named

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dlqconsole.settings")
# Celery would have Django check everything at each start, which imports every page and the admin, and would
# look at no answer: that is for `manage.py check`.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")


class OwnTask(Task):
    """A task of ours. It sees no dead letters for people until it says who asks (``engine.access_scope``)."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from dlqconsole.engine.access_scope import asking_lazily

        with asking_lazily(None):
            return super().__call__(*args, **kwargs)


# not the current one: in a project that has us as a guest, that is its own
app = Celery("dlqconsole", task_cls=OwnTask, set_as_current=False)
app.config_from_object("dlqconsole.celery.configuration")
TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), "dlqconsole.celery.transport:Transport"))
# A client that may write to the broker must not stop a worker or read its settings.
app.conf.update(
    worker_consumer="dlqconsole.celery.consumer:TaskConsumer",
    worker_enable_remote_control=False,
)
# not those of a project that has us as a guest
app.autodiscover_tasks(apps)
# Celery would end the session of PostgreSQL before each task and after it: an idle system made one anew every
# second. They stay for so many tasks, that is for as long as Django keeps them.
app.conf["CELERY_DB_REUSE_MAX"] = 2**31


@task_prerun.connect
def end_old_sessions(sender: Task, **_signal: Any) -> None:
    """End sessions that are older than the settings allow, and those that do not answer any more."""
    from django.db import close_old_connections

    if not sender.request.is_eager:
        close_old_connections()


# the exit status of a wrong request: another start would fail in the same way
ASKED_WRONGLY = 2


@beat_init.connect
@worker_init.connect
def refuse_without_broker(**_signal: Any) -> None:
    """End a worker or beat that has no Redis: there is another that needs none."""
    from django.conf import settings

    if not settings.REDIS_URL:
        print(f"dlqconsole cannot start: REDIS_URL is not set; {PROGRAM} work needs none.", file=sys.stderr)
        sys.exit(ASKED_WRONGLY)


@worker_init.connect
def refuse_wrong_handlers(**_signal: Any) -> None:
    """End a worker whose DLQ_HANDLERS cannot be used, with one sentence, rather than have each tick fail."""
    from dlqconsole.core import handling
    from dlqconsole.engine.database.error_line import error_line
    from dlqconsole.processing.errors import SetupError
    from dlqconsole.processing.texts import printable

    try:
        handling.registry()
    except SetupError as error:
        print(f"dlqconsole cannot start: {printable(error_line(error))}", file=sys.stderr, flush=True)
        sys.exit(ASKED_WRONGLY)


@worker_init.connect
def look_at_rights(**_signal: Any) -> None:
    """Log a warning where the worker's database account may do more than it needs."""
    from dlqconsole.engine.grants.excess import warn_once_connected

    warn_once_connected()


@worker_init.connect
def isolate_handlers(**_signal: Any) -> None:
    """Run handlers in processes of their own, in each process of the worker's pool."""
    from dlqconsole.core import handling

    handling.isolate()


@worker_ready.connect
def say_that_it_lives(sender: Any, **_signal: Any) -> None:
    """Note in the database, from now on, that this worker serves its queues: nobody else can ask it."""
    from dlqconsole.engine import known_handlers

    known_handlers.presence_of_celery(sender.app.amqp.queues.consume_from).start()


# those of the features
_TICKS = [tick for feature in features() for tick in feature.ticks]


def _add_task(tick: Tick) -> None:
    @app.task(name=tick.task)
    def call() -> None:
        named(tick.function)()


for _tick in _TICKS:
    _add_task(_tick)

# Quick ticks, and the schedule's run, which a worker has once at most, go to a queue and a worker of their
# own: however long an operation takes, it delays none of them. A worker started without a queue serves both.
# The processes of the pipeline have a worker of their own, too, that stays with each for hours.
app.conf.task_queues = {name: {"routing_key": name} for name in (WORK, TICKS, PIPELINE)}
app.conf.task_default_routing_key = WORK
app.conf.task_routes = {
    "retries.retry_due": {"queue": TICKS},
    "operations.keep_time": {"queue": TICKS},
    "transports.relay": {"queue": TICKS},
    "transports.settle_lost": {"queue": TICKS},
    "runs.look": {"queue": TICKS},
    "reports.daily": {"queue": TICKS},
    "runs.start": {"queue": PIPELINE},
} | {tick.task: {"queue": TICKS} for tick in _TICKS if tick.is_quick}


def _every(seconds: float, task: str) -> dict[str, Any]:
    """Return a tick. If nobody takes it until the next one comes, it expires."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


# Static: no beat has a memory that another would not have. Task names are text, so that this file imports no
# other package.
app.conf.beat_schedule = {
    "retry due dead letters": _every(5.0, "retries.retry_due"),
    "fold counts, stage messages": _every(5.0, "operations.keep_time"),
    "take up waiting operations": _every(5.0, "operations.take_up"),
    "keep no longer than asked": _every(600.0, "operations.tidy"),
    "settle what lost its message": _every(60.0, "transports.settle_lost"),
    "serve attached queues": _every(5.0, "transports.relay"),
    "look for dead letters that nobody watches": _every(60.0, "transports.look_at_dead_letter_queues"),
    "look at the pipeline's runs": _every(5.0, "runs.look"),
    "ask for the daily report": _every(30.0, "reports.daily"),
} | {tick.about: _every(tick.seconds, tick.task) for tick in _TICKS}
