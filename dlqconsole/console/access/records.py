"""Who signed in, out, or failed to, in the audit log.

A name that no account has is a keyed hash there: it may be a password that went into the wrong field.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest

from dlqconsole.console.access import sessions
from dlqconsole.console.access.addresses import client_address
from dlqconsole.console.access.devices import known_device
from dlqconsole.console.access.permissions import actor
from dlqconsole.console.access.throttle import hidden
from dlqconsole.engine import audit

NOBODY = "nobody"  # whoever typed a wrong password


def failed(request: HttpRequest | None, name: str, account: User | None, used_up: Sequence[str]) -> None:
    """A wrong password; ``used_up``: whose tries end with it, so that the next one must wait."""
    detail: dict[str, Any] = {"address": client_address(request)}
    if account is None:
        detail["name_hash"] = hidden(name)[:16]
    if used_up:
        detail["held"] = list(used_up)
    target = f"account:{account.pk}" if account else "account:unknown"
    audit.record(NOBODY, "sign-in failed", target, detail=detail)


def signed_in(request: HttpRequest, user: User, **_: Any) -> None:
    """Django's signal: a session has begun."""
    sessions.begin(request, user)
    if _is_by_program(request):
        return
    detail = {
        "address": client_address(request),
        "known_device": known_device(request, user) is not None,
    }
    audit.record(actor(request), "sign in", f"account:{user.pk}", detail=detail)


def signed_out(request: HttpRequest, user: User | None, **_: Any) -> None:
    """Django's signal: a session ends, because its person wants it to or because it is too old."""
    if user is None or _is_by_program(request):
        return
    why = sessions.why_ended(request)
    audit.record(actor(request), "sign out", f"account:{user.pk}", detail={"why": why} if why else {})


def _is_by_program(request: HttpRequest) -> bool:
    """A session that a program makes, without a request from anywhere, is nobody's coming in."""
    return request.method is None


def connect() -> None:
    """Listen to Django's two signals."""
    user_logged_in.connect(signed_in, dispatch_uid="dlqconsole.signed_in")
    user_logged_out.connect(signed_out, dispatch_uid="dlqconsole.signed_out")
