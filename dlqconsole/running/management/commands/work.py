"""manage.py work: all that Celery's workers and its beat do, in one process, without Redis."""

from typing import Any

from dlqconsole import celery
from dlqconsole.engine import known_handlers
from dlqconsole.engine.database.sessions import need_direct_line
from dlqconsole.engine.gate import GatedCommand
from dlqconsole.retries import stopping
from dlqconsole.retries.beat_heartbeats import BeatPresence
from dlqconsole.running.worker import QUEUES, Worker


class Command(GatedCommand):
    help = "Do the work behind the console in one process: operations, schedule, runs. It needs no Redis."

    def handle(self, *args: Any, **options: Any) -> None:
        need_direct_line()
        celery.refuse_wrong_handlers()
        celery.look_at_rights()
        celery.isolate_handlers()
        worker = Worker()
        known_handlers.presence_of_celery(QUEUES).start()
        BeatPresence().start()
        with stopping.on_sigterm():
            worker.run(stopping.is_told)
