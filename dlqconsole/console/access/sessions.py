"""The length of a session: at most 30 idle minutes, at most 12 hours in all.

A page polls for news every few seconds; that is no activity. When a person's rights change, the session gets
another key.
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
POLL = "X-Live"  # the header of a page that polls: static/console/modules/live.js
_BEGAN, _SEEN, _RIGHTS, _ENDED = "began_at", "seen_at", "rights", "signed_out"
_PARTS = 30  # a session is written at most 30 times in the idle time, not with each page


def begin(request: HttpRequest, user: User) -> None:
    """Store when a session began, and the rights of its person."""
    request.session[_BEGAN] = request.session[_SEEN] = _now()
    request.session[_RIGHTS] = _rights(role_held_by(user), user)
    request.session.pop(_ENDED, None)


def person(request: HttpRequest) -> Any:
    """The person of a request, a User or AnonymousUser; a session that is over ends here."""
    user: Any = get_user(request)
    if not user.is_authenticated:
        return AnonymousUser()
    if why := _expiry_reason(request):
        return _end(request, user, why)
    if POLL not in request.headers and _now() - request.session[_SEEN] > _idle() / _PARTS:
        request.session[_SEEN] = _now()
    return user


def end_reason(request: HttpRequest) -> str:
    """The reason why the session before this one was ended: IDLE or TOO_OLD; else empty."""
    return str(request.session.get(_ENDED, ""))


def follow_rights(request: HttpRequest) -> None:
    """Give the session another key if its person's rights have changed."""
    rights = _rights(role_of(request), request.user)
    if request.session.get(_RIGHTS) != rights:
        request.session.cycle_key()
        rotate_token(request)
        request.session[_RIGHTS] = rights


def _rights(role: str, user: Any) -> str:
    return f"{role} {user.is_staff} {user.is_superuser}"


def _expiry_reason(request: HttpRequest) -> str:
    began_at, seen_at = request.session.get(_BEGAN), request.session.get(_SEEN)
    if began_at is None or seen_at is None or _now() - began_at > LONGEST.total_seconds():
        return TOO_OLD
    return IDLE if _now() - seen_at > _idle() * (1 + 1 / _PARTS) else ""


def _end(request: HttpRequest, user: User, why: str) -> AnonymousUser:
    """Sign out as that person would, and keep the reason for the sign-in page."""
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
