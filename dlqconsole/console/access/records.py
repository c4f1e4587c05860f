"""Audit entries of sign-ins, sign-outs and failed sign-ins.

A name that no account has is stored as a keyed hash: it may be a password typed into the wrong field.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.http import HttpRequest

from dlqconsole.console.access import sessions
from dlqconsole.console.access.devices import known_device
from dlqconsole.console.access.permissions import actor
from dlqconsole.console.access.throttle import client_address, keyed_hash
from dlqconsole.engine import audit

NOBODY = "nobody"  # the actor of a wrong password


def note_failure(
    request: HttpRequest | None, name: str, account: User | None, used_up: Sequence[str]
) -> None:
    """Record a wrong password. ``used_up``: the allowances it exhausts, so that the next try must wait."""
    detail: dict[str, Any] = {"address": client_address(request)}
    if account is None:
        detail["name_hash"] = keyed_hash(name)[:16]
    if used_up:
        detail["held"] = list(used_up)
    target = f"account:{account.pk}" if account else "account:unknown"
    audit.record(NOBODY, "sign-in failed", target, detail=detail)


def note_sign_in(request: HttpRequest, user: User, **_: Any) -> None:
    """Receive Django's signal: a session has begun."""
    sessions.begin(request, user)
    if _is_by_program(request):
        return
    detail = {
        "address": client_address(request),
        "known_device": known_device(request, user) is not None,
    }
    audit.record(actor(request), "sign in", f"account:{user.pk}", detail=detail)


def note_sign_out(request: HttpRequest, user: User | None, **_: Any) -> None:
    """Receive Django's signal: a session ends, because its person signs out or because it is too old."""
    if user is None or _is_by_program(request):
        return
    why = sessions.end_reason(request)
    audit.record(actor(request), "sign out", f"account:{user.pk}", detail={"why": why} if why else {})


def _is_by_program(request: HttpRequest) -> bool:
    """Tell whether a program makes this session without a request: then nobody signs in."""
    return request.method is None


def connect() -> None:
    """Listen to Django's two signals."""
    user_logged_in.connect(note_sign_in, dispatch_uid="dlqconsole.signed_in")
    user_logged_out.connect(note_sign_out, dispatch_uid="dlqconsole.signed_out")
