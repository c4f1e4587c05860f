"""The check of the handlers before an ingest begins."""

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.readiness import environment_of, what_is_missing


def check_handlers(settings: Settings) -> None:
    """Raise BadRequest where there are no handlers, or this machine lacks what they need."""
    if not settings.handlers:
        raise BadRequest("DLQ_HANDLERS is not set: name the modules that declare your handlers")
    environment_of(settings.handlers)
    if settings.on_this_machine and (problem := what_is_missing(settings.handlers)):
        raise BadRequest(problem)
