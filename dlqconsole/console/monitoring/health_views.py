"""Liveness and readiness, without data: the only pages that need no login."""

from collections.abc import Sequence

from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dlqconsole.console.monitoring.health import HealthFinding, findings


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
