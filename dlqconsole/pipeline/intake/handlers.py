"""What every ingest asks before it begins, and what it tells its workers."""

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.readiness import environment_of, what_is_missing
from dlqconsole.pipeline.sink.work import Work


def check_handlers(settings: Settings) -> None:
    """Raise BadRequest where there are no handlers, or this machine lacks what they need."""
    if not settings.handlers:
        raise BadRequest("DLQ_HANDLERS is not set: name the modules that declare your handlers")
    environment_of(settings.handlers)
    if settings.on_this_machine and (problem := what_is_missing(settings.handlers)):
        raise BadRequest(problem)


def work_of(settings: Settings, run: Run) -> Work:
    """What travels to the workers of a run."""
    return Work(
        database_url=settings.database_url,
        run_id=run.id,
        handlers=settings.handlers,
        limits=settings.limits,
        handler_timeout=settings.handler_timeout,
        backoff_base=settings.backoff_base,
        handler_memory=settings.handler_memory,
        breaker=settings.breaker,
        environment=environment_of(settings.handlers),
        sampling=settings.sampling,
    )
