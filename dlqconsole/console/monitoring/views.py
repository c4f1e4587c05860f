"""Liveness and readiness, which need no login, and the figures for Prometheus."""

import hmac
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from psycopg.errors import InsufficientPrivilege

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.console.access.permissions import require
from dlqconsole.console.monitoring.checks import CHECKS, Check, NotReady
from dlqconsole.console.monitoring.prometheus import exposition
from dlqconsole.console.parts.responses import for_programs
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.counts import summaries
from dlqconsole.features import features
from dlqconsole.hosting.database import connection
from dlqconsole.transports import queue_overview

log = logging.getLogger(__name__)
LIMIT = 3_000  # milliseconds that one of its queries may take
_REFUSED = "Sign in, or send the token of DLQ_METRICS_TOKEN: Authorization: Bearer <token>.\n"
_FAILED = "The figures could not be read: the database does not answer, or not in time. Try again.\n"


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """A sentence for strangers. ``is_ready``: the console works nevertheless."""

    text: str
    is_ready: bool = True


@for_programs
@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 if this process reaches the database, 503 with a sentence if it does not.

    Other problems are listed with status 200: a restart of this process would not solve them.
    """
    if not _is_database_there():
        return _database_away()
    return _answer("ok", list(findings()))


@for_programs
@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 if the console can do its work, 503 if it cannot, with the same sentences."""
    if not _is_database_there():
        return _database_away()
    all_findings = list(findings())
    is_ready = all(finding.is_ready for finding in all_findings)
    return _answer("ready", all_findings) if is_ready else _answer("not ready", all_findings, 503)


def _is_database_there() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def _database_away() -> HttpResponse:
    return _answer("The database does not answer.", (), 503)


def _answer(first: str, sentences: Sequence[HealthFinding], status: int = 200) -> HttpResponse:
    lines = [first, *(finding.text for finding in sentences)]
    return HttpResponse("".join(f"{line}\n" for line in lines), content_type="text/plain", status=status)


def findings() -> Iterator[HealthFinding]:
    """The sentences of all checks, in the order of their names; a failing check stops no other."""
    for name, check in _checks().items():
        try:
            yield from [HealthFinding(text) for text in check()]
        except NotReady as problem:
            yield HealthFinding(str(problem), is_ready=False)
        except (Error, OSError) as error:
            log.warning("the check %s failed: %s", name, error)
            # where the tables are kept from its account, no page works
            is_ready = not isinstance(error.__cause__, InsufficientPrivilege)
            why = "" if is_ready else f": the database refuses it its tables; see {PROGRAM} grants"
            yield HealthFinding(f"the check {name} could not be made{why}", is_ready)


@cache
def _checks() -> dict[str, Check]:
    own = {check.__name__: check for check in CHECKS}
    brought = {feature.name: import_string(feature.health) for feature in features() if feature.health}
    return dict(sorted((own | brought).items()))


@for_programs
@require_safe
@login_not_required
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus text; 401 without login and token, 503 if the database does not answer in time."""
    if _has_token(request):
        with asking_as(EVERYTHING):
            return _figures()
    if not request.user.is_authenticated:
        return _sentence(_REFUSED, 401)
    require(request, "viewer")
    return _figures()


def _figures() -> HttpResponse:
    try:
        attached_queues = queue_overview.elsewhere()
        with summaries.time_budget(LIMIT):
            text = exposition(attached_queues)
    except (Error, summaries.TooSlow):
        return _sentence(_FAILED, 503)
    return HttpResponse(text, content_type=CONTENT_TYPE_PLAIN_0_0_4)


def _has_token(request: HttpRequest) -> bool:
    token: str = settings.DLQ_METRICS_TOKEN
    bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return bool(token) and hmac.compare_digest(bearer.encode(), token.encode())


def _sentence(text: str, status: int) -> HttpResponse:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {"Retry-After": "15"}
    return HttpResponse(text, content_type="text/plain; charset=utf-8", status=status, headers=headers)
