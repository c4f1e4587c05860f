"""Slows down whoever guesses passwords: five wrong ones in a quarter of an hour, then a wait.

Counted in PostgreSQL, for each account and address, so that every process counts alike.
"""

import ipaddress
from datetime import timedelta

from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest

from dlqconsole.console.models import FailedSignIn

LIMIT = 5
WINDOW = timedelta(minutes=15)


def is_held(account: str, request: HttpRequest) -> bool:
    """Whether this account must wait before it may try again from this address."""
    recent = _failures(account, request).filter(at__gt=Now() - WINDOW)
    return recent.count() >= LIMIT


def note_failure(account: str, request: HttpRequest) -> None:
    """Remember a wrong password, and forget those of the day before."""
    FailedSignIn.objects.create(account=_clean(account), address=_address(request))
    FailedSignIn.objects.filter(at__lt=Now() - timedelta(days=1)).delete()


def forget(account: str, request: HttpRequest) -> None:
    """A right password ends the count."""
    _failures(account, request).delete()


def _failures(account: str, request: HttpRequest) -> QuerySet[FailedSignIn]:
    return FailedSignIn.objects.filter(account=_clean(account), address=_address(request))


def _clean(account: str) -> str:
    return account.replace("\x00", "").encode("utf-8", "replace").decode().strip().lower()[:150]


def _address(request: HttpRequest) -> str | None:
    try:
        return str(ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")))
    except ValueError:  # a Unix socket has no address
        return None
