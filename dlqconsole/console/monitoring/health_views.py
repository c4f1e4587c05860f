"""Liveness and readiness, without data: the only pages that ask for no login."""

from collections.abc import Sequence

from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dlqconsole.console.monitoring.health import Finding, findings


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 when this process reaches the database, 503 with a sentence when it does not.

    What else is wrong is said, with the same status: to start this process anew would not mend it.
    """
    if not _is_database_there():
        return _database_away()
    return _answer("ok", list(findings()))


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when the console can do its work, 503 when it cannot, with the same sentences."""
    if not _is_database_there():
        return _database_away()
    said = list(findings())
    is_ready = all(finding.is_ready for finding in said)
    return _answer("ready", said) if is_ready else _answer("not ready", said, 503)


def _is_database_there() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def _database_away() -> HttpResponse:
    return _answer("The database does not answer.", (), 503)


def _answer(first: str, said: Sequence[Finding], status: int = 200) -> HttpResponse:
    lines = [first, *(finding.text for finding in said)]
    return HttpResponse("".join(f"{line}\n" for line in lines), content_type="text/plain", status=status)
