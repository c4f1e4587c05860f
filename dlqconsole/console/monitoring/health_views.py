"""Liveness and readiness, without data: the only page that asks for no login."""

from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dlqconsole.archive.counting import last_run
from dlqconsole.engine import handling
from dlqconsole.engine.dead_letters.claims import oldest_attempt_seconds
from dlqconsole.retries import tickers

# A worker ticks every 15 seconds.
SILENT_SECONDS = 90.0


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 when this process reaches the database, 503 with a sentence when it does not.

    What is wrong with the workers is said and changes nothing in the status: to start this process anew would
    not mend it.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return HttpResponse("The database does not answer.\n", content_type="text/plain", status=503)
    return HttpResponse(
        "".join(f"{line}\n" for line in ["ok", *_of_the_workers()]), content_type="text/plain"
    )


def _of_the_workers() -> list[str]:
    try:
        return [_last_tick(), _oldest_attempt(), *_archive()]
    except Error:
        return ["The database could not say how the schedule stands."]


def _last_tick() -> str:
    found = tickers.last_tick()
    if found is None:
        return "last tick of the schedule: never"
    late = ": no worker takes them" if found[1] > SILENT_SECONDS else ""
    return f"last tick of the schedule: {found[1]:,.0f} s ago{late}"


def _archive() -> list[str]:
    """Nothing where all is well: strangers read this, so its reason is on the page of the archive."""
    last = last_run()
    return (
        ["the archive's last run failed: nothing was deleted by it"]
        if last and last["status"] == "failed"
        else []
    )


def _oldest_attempt() -> str:
    seconds = oldest_attempt_seconds()
    if seconds is None:
        return "oldest running retry: none"
    late = ": longer than it may" if seconds > handling.longest_seconds() + SILENT_SECONDS else ""
    return f"oldest running retry: {seconds:,.0f} s{late}"
