"""Devices that an account signed in from: a signed cookie, good for half a year, and for that account alone.

Such a device has tries of its own, so nobody can lock a person out by guessing elsewhere. A new password
makes each device of the account unknown again.
"""

import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

_SALT = "dlqconsole.device"
_MAX_AGE = timedelta(days=180)
_MOST_ACCOUNTS = 5


def known_device(request: HttpRequest | None, account: User | None) -> str | None:
    """The number of the device that sends the request, if this account signed in from it; else None."""
    if request is None or account is None:
        return None
    number, accounts = _read(request)
    return number if _mark(account) in accounts else None


def remember_device(request: HttpRequest, response: HttpResponse, account: User) -> None:
    """Remember in a cookie that this account signed in from the device."""
    number, accounts = _read(request)
    mark = _mark(account)
    marks = [*(other for other in accounts if other != mark), mark][-_MOST_ACCOUNTS:]
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps([number or secrets.token_urlsafe(16), marks], salt=_SALT),
        max_age=_MAX_AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[Any]]:
    cookie = request.COOKIES.get(settings.DEVICE_COOKIE_NAME, "")
    try:
        number, accounts = signing.loads(cookie, salt=_SALT, max_age=_MAX_AGE)
    except (signing.BadSignature, ValueError, TypeError):
        return "", []
    return number, accounts


def _mark(account: User) -> str:
    return salted_hmac(_SALT, f"{account.pk} {account.password}", algorithm="sha256").hexdigest()[:32]
