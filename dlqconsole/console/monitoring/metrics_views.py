"""The figures for Prometheus: for signed-in people, and for the bearer of DLQ_METRICS_TOKEN."""

import hmac

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from dlqconsole.console.access.permissions import require_viewer
from dlqconsole.console.monitoring.prometheus import exposition
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.counts import summaries
from dlqconsole.transports import queue_overview

LIMIT = 3_000  # milliseconds that one of its queries may take
_REFUSED = "Sign in, or send the token of DLQ_METRICS_TOKEN: Authorization: Bearer <token>.\n"
_FAILED = "The figures could not be read: the database does not answer, or not in time. Try again.\n"


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
    require_viewer(request)
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
