"""How long somebody stays signed in: not beyond 30 idle minutes, never beyond 12 hours.

A page asks for news by itself every few seconds; that is no activity. When a person may do more or less than
before, the session gets another key.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user, logout
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.http import HttpRequest
from django.middleware.csrf import rotate_token
from django.utils import timezone

from dlqconsole.console.access.permissions import role_held_by, role_of

IDLE, TOO_OLD = "idle", "too old"
LONGEST = timedelta(seconds=settings.SESSION_COOKIE_AGE)
POLL = "X-Live"  # the header of a page that asks by itself: static/console/modules/live.js
_BEGAN, _SEEN, _RIGHTS, _ENDED = "began_at", "seen_at", "rights", "signed_out"
_PARTS = 30  # a session is written once in this part of the idle time, not with each page


def begin(request: HttpRequest, user: User) -> None:
    """Note when a session began, and what its person may do."""
    request.session[_BEGAN] = request.session[_SEEN] = _now()
    request.session[_RIGHTS] = _rights(role_held_by(user), user)
    request.session.pop(_ENDED, None)


def person(request: HttpRequest) -> Any:
    """Who asks, a User or AnonymousUser; a session that is over ends here."""
    user: Any = get_user(request)
    if not user.is_authenticated:
        return AnonymousUser()
    if why := _why_over(request):
        return _end(request, user, why)
    if POLL not in request.headers and _now() - request.session[_SEEN] > _idle() / _PARTS:
        request.session[_SEEN] = _now()
    return user


def why_ended(request: HttpRequest) -> str:
    """Why we ended the session that was here before: IDLE or TOO_OLD; empty when we did not."""
    return str(request.session.get(_ENDED, ""))


def follow_rights(request: HttpRequest) -> None:
    """Give the session another key when its person may do more, or less, than before."""
    rights = _rights(role_of(request), request.user)
    if request.session.get(_RIGHTS) != rights:
        request.session.cycle_key()
        rotate_token(request)
        request.session[_RIGHTS] = rights


def _rights(role: str, user: Any) -> str:
    return f"{role} {user.is_staff} {user.is_superuser}"


def _why_over(request: HttpRequest) -> str:
    began, seen = request.session.get(_BEGAN), request.session.get(_SEEN)
    if began is None or seen is None or _now() - began > LONGEST.total_seconds():
        return TOO_OLD
    return IDLE if _now() - seen > _idle() * (1 + 1 / _PARTS) else ""


def _end(request: HttpRequest, user: User, why: str) -> AnonymousUser:
    """Sign out as that person would, and remember for the sign-in page why."""
    request.user = user
    request.session[_ENDED] = why
    with transaction.atomic():
        logout(request)
    request.session[_ENDED] = why
    return AnonymousUser()


def _idle() -> float:
    return float(settings.DLQ_IDLE_MINUTES * 60)


def _now() -> float:
    return timezone.now().timestamp()
