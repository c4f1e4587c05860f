"""The API: its endpoints, and the answers to all that goes wrong."""

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import Error
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from dlqconsole.contrib.api.caller import CHALLENGE, HOW, ReportToken
from dlqconsole.contrib.api.endpoints import failures, recoveries
from dlqconsole.contrib.api.problems import Problem
from dlqconsole.contrib.api.schemas import sentences
from dlqconsole.core.transient_errors import is_refused
from dlqconsole.engine.database.error_line import lacks_tables, not_migrated

_AWAY = (
    "The database does not answer, or is too busy. Send it again in a moment: under the same Idempotency-Key"
    " it counts once."
)
_TOO_ODD = "The database cannot hold this: a number or a name in it is too long. It would be so again."

# no page of documentation: it would need scripts from elsewhere
api = NinjaAPI(
    title="dlqconsole",
    version="1",
    description="Programs report what failed, and what succeeded after all.",
    docs_url=None,
    openapi_url=None,
    auth=ReportToken(),
)
api.add_router("", failures.router)
api.add_router("", recoveries.router)


@api.exception_handler(Problem)
def _refused(_request: HttpRequest, problem: Problem) -> HttpResponse:
    return problem.response()


@api.exception_handler(AuthenticationError)
def _unknown(_request: HttpRequest, _error: AuthenticationError) -> HttpResponse:
    return Problem(401, HOW, CHALLENGE).response()


@api.exception_handler(ValidationError)
def _misshapen(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    return Problem(422, sentences(error.errors)).response()


@api.exception_handler(HttpError)
def _unreadable(_request: HttpRequest, error: HttpError) -> HttpResponse:
    return Problem(error.status_code, "The body is not JSON. Send one JSON document.").response()


@api.exception_handler(RequestDataTooBig)
def _too_big(_request: HttpRequest, _error: RequestDataTooBig) -> HttpResponse:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 1024 // 1024
    return Problem(413, f"The body is larger than {most} MiB. Send a batch in parts.").response()


@api.exception_handler(UnreadablePostError)
def _cut(_request: HttpRequest, _error: UnreadablePostError) -> HttpResponse:
    return Problem(400, "The body ended too early. Send it again.").response()


@api.exception_handler(Error)
def _database(_request: HttpRequest, error: Error) -> HttpResponse:
    """Answer 503, or 422 where the values are wrong. Nothing of the database's sentence is passed on."""
    if not lacks_tables(error) and is_refused(error):
        return Problem(422, _TOO_ODD).response()
    return Problem(503, not_migrated() if lacks_tables(error) else _AWAY, {"Retry-After": "5"}).response()
