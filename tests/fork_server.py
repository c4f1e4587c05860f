"""A process that has imported what our programs import, and forks itself into them.

``python -m tests.fork_server FD PARENT``; tests/starting.py starts it and asks it. It knows no setting, holds
no connection and has no thread: all that a program decides it decides itself, after the fork. So no module of
ours is imported here that reads the environment, and none of Django's that needs settings; it has neither.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import threading
import time
from typing import Any

from dlqconsole.runtime.processes import die_with

# Nearly all that a start costs. A module that is missing here costs time and changes nothing.
IMPORTED = (
    "billiard.popen_fork",
    "celery.app.amqp",
    "celery.app.autoretry",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.app.task",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.backends.redis",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.contrib.django.task",
    "celery.events.receiver",
    "celery.events.state",
    "celery.fixups.django",
    "celery.loaders.app",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.consumer.delayed_delivery",
    "celery.worker.strategy",
    "csv",
    "dj_database_url",
    "django.contrib.admin.apps",
    "django.contrib.admin.templatetags.base",
    "django.contrib.admin.views.main",
    "django.contrib.auth.checks",
    "django.contrib.auth.management",
    "django.contrib.auth.password_validation",
    "django.contrib.auth.tokens",
    "django.contrib.auth.validators",
    "django.contrib.contenttypes.checks",
    "django.contrib.contenttypes.management",
    "django.contrib.humanize.templatetags.humanize",
    "django.contrib.messages.middleware",
    "django.contrib.postgres.apps",
    "django.contrib.postgres.fields",
    "django.contrib.sessions.middleware",
    "django.contrib.sites.shortcuts",
    "django.contrib.staticfiles.checks",
    "django.contrib.staticfiles.storage",
    "django.core.cache.backends.locmem",
    "django.core.checks.registry",
    "django.core.handlers.asgi",
    "django.core.mail",
    "django.core.management",
    "django.core.management.commands.makemigrations",
    "django.core.management.commands.migrate",
    "django.core.paginator",
    "django.core.servers.basehttp",
    "django.db.backends.postgresql.base",
    "django.db.backends.postgresql.psycopg_any",
    "django.db.migrations.executor",
    "django.db.models",
    "django.forms",
    "django.middleware.common",
    "django.middleware.csp",
    "django.middleware.security",
    "django.shortcuts",
    "django.template.defaulttags",
    "django.template.loader_tags",
    "django.templatetags.cache",
    "django.templatetags.l10n",
    "django.templatetags.tz",
    "django.utils.csp",
    "django.utils.log",
    "django.utils.translation.reloader",
    "django.views.decorators.http",
    "dlqconsole.configuration.reading",
    "dlqconsole.configuration.unknown_names",
    "dlqconsole.processing.edited_headers",
    "dlqconsole.processing.edited_payload",
    "dlqconsole.processing.inputs.durations",
    "dlqconsole.processing.inputs.moments",
    "dlqconsole.processing.masked_values",
    "dlqconsole.processing.reports",
    "encodings.idna",
    "environs",
    "jsonpatch",
    "jsonschema",
    "jsonschema_rs",
    "kombu.transport.redis",
    "orjson",
    "prometheus_client",
    "prometheus_client.core",
    "psycopg_pool",
    "pymysql",
    "stdnum",
    "whitenoise.middleware",
)
# of what is asked, in bytes
MOST = 1 << 20


def wait_for_a_start(channel: socket.socket, parent: int) -> dict[str, Any] | None:
    """Fork at each request. In the child: what it shall run. In the server, when nobody can ask: nothing."""
    # Ctrl-C ends whoever asks, and that ends us
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        message, descriptors, _, _ = socket.recv_fds(channel, MOST, 3)
        if not message:
            return None
        if _fork_for(parent):
            break
        for descriptor in descriptors:
            os.close(descriptor)
    request = json.loads(message)
    if request["hears_interrupts"]:  # what is started where SIGINT is ignored ignores it, too
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _prepare(request, descriptors)
    finally:
        channel.send(str(os.getpid()).encode())
    return request


def _fork_for(parent: int) -> bool:
    """Fork a child of ``parent``, which adopts orphans just now; whether this is the child.

    Who can wait for it and is told of its end is a process's parent alone. So the child is made an orphan.
    """
    waits, goes = os.pipe()
    between = os.fork()
    if between:
        os.close(waits)
        os.waitpid(between, 0)
        os.close(goes)
        return False
    os.close(goes)
    if os.fork():
        os._exit(0)
    os.read(waits, 1)  # until the process between is gone
    os.close(waits)
    die_with(parent, signal.SIGKILL)
    return True


def _prepare(request: dict[str, Any], descriptors: list[int]) -> None:
    """What happens between fork and exec, and when an interpreter starts."""
    for place, descriptor in enumerate(descriptors):
        os.dup2(descriptor, place)
        os.close(descriptor)
    if request["own_session"]:
        os.setsid()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    importlib.invalidate_caches()


def run(arguments: list[str]) -> None:
    """Run what follows ``python`` on a command line: ``-m MODULE …`` or ``FILE …``."""
    sys.orig_argv = [sys.executable, *arguments]
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")


def end(status: int) -> None:
    """All that a program may see of its end, and none of what an interpreter then does for itself.

    It takes its modules apart object by object: of those that are shared with the server it would copy each
    page first, ten times what the fork has cost. Where what was said cannot be written, it does, and says so.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):
        sys.exit(status)
    os._exit(status)


def main() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    # a thread would be missing in the children, and what it held would stay locked
    assert threading.active_count() == len(os.listdir("/proc/self/task")) == 1
    # what the collector leaves alone, the children share
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        request = wait_for_a_start(channel, int(sys.argv[2]))
    if request is None:
        return
    try:
        run(request["arguments"])
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        end((ended.code or 0) & 0xFF)
    else:
        end(0)


if __name__ == "__main__":
    main()
