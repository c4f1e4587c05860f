"""Limits on password tries: by a known device, at one address, for one account, and by one address.

The API limits reports by the same rows.

A try is taken before the password is compared and given back when it was right. One statement in PostgreSQL
takes it, so that of any number of guesses at once only the allowed number pass. Each allowance is a number of
tries that come back one by one: a wait ends by itself, and trying meanwhile does not prolong it.

Keys are keyed hashes: a text typed as a name may be a password, and is stored nowhere.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv6Address, ip_network
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from dlqconsole.core.named_sql import execute, fetch_dicts, load
from dlqconsole.hosting.database import transaction

sql = load(Path(__file__).parent)
_HOUSEHOLD = 64  # bits of an IPv6 address that a provider gives to one customer, who chooses the rest


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many ``tries``; each comes back ``one_back`` after the one before it."""

    words: str
    tries: int
    one_back: timedelta


# A known device has tries of its own: no stranger can use them up.
ON_KNOWN_DEVICE = Allowance("this account on a device it knows", 5, timedelta(minutes=3))
AT_ADDRESS = Allowance("this account at this address", 5, timedelta(minutes=3))
FOR_ACCOUNT = Allowance("this account on unknown devices", 20, timedelta(minutes=15))
BY_ADDRESS = Allowance("all accounts at this address", 30, timedelta(minutes=1))


@dataclass(frozen=True, slots=True)
class Try:
    """A try that was taken. ``wait`` is 0, or the seconds until one is back, and then none was taken.

    ``used_up``: the allowances of which it was the last.
    """

    allowances: Mapping[str, Allowance]
    wait: int = 0
    used_up: tuple[Allowance, ...] = ()


def take(account: str, address: str, device: str | None) -> Try:
    """Take a try for an account at an address, or on a device that it knows; or none, and return the wait.

    Raises RuntimeError inside a transaction: a rollback there would undo the count.
    """
    allowances = _allowances(account, address, device)
    spent, wait = spend(allowances)
    if wait:
        return Try({}, wait=wait)
    used_up = [each for key, each in allowances.items() if _is_used_up(each, spent[key])]
    return Try(allowances, used_up=tuple(used_up))


def spend(allowances: Mapping[str, Allowance], number: int = 1) -> tuple[Mapping[str, float], int]:
    """Take so many tries of each allowance, or none. Return the seconds until all are back, and the wait.

    Raises RuntimeError inside a transaction.
    """
    steps = {"keys": list(allowances), "steps": [number * each.one_back for each in allowances.values()]}
    with transaction.atomic(durable=True):
        spent = {row["key"]: row["seconds"] for row in fetch_dicts(sql("throttle.take"), steps)}
        wait = max(spent[key] - _all(each).total_seconds() for key, each in allowances.items())
        if wait > 0:
            transaction.set_rollback(True)
    return spent, max(math.ceil(wait), 0)


def give_back(right: Try) -> None:
    """Give the try of a right password back, and reset the person's own allowances.

    Allowances shared with others get only one try back: else a stranger with an account of his own could give
    himself new ones.
    """
    own = (ON_KNOWN_DEVICE, AT_ADDRESS)
    steps = {key: _all(each) if each in own else each.one_back for key, each in right.allowances.items()}
    execute(sql("throttle.give_back"), {"keys": list(steps), "steps": list(steps.values())})


def forget_unused() -> None:
    """Delete the rows that limit nothing any more."""
    execute(sql("throttle.forget_unused"), {})


def release(account: str) -> int:
    """Give an account all its tries back, wherever they were used up; return how many rows that deleted."""
    prefixes = (_key("account", account), _key("place", account), _key("device", account))
    return sum(execute(sql("throttle.release"), {"prefix": prefix}) for prefix in prefixes)


def _allowances(account: str, address: str, device: str | None) -> dict[str, Allowance]:
    if device is not None:
        return {_key("device", account, device): ON_KNOWN_DEVICE}
    return {
        _key("place", account, address): AT_ADDRESS,
        _key("account", account): FOR_ACCOUNT,
        _key("address", address): BY_ADDRESS,
    }


def _all(allowance: Allowance) -> timedelta:
    return allowance.tries * allowance.one_back


def _is_used_up(allowance: Allowance, seconds: float) -> bool:
    """Tell whether another try would have to wait."""
    return seconds > (_all(allowance) - allowance.one_back).total_seconds()


def _key(noun: str, *parts: str) -> str:
    return ":".join([noun, *map(keyed_hash, parts)])


def keyed_hash(text: str) -> str:
    """A keyed hash of a text: only a holder of SECRET_KEY can search for it."""
    return salted_hmac("dlqconsole.sign_in", text.encode("utf-8", "replace"), algorithm="sha256").hexdigest()[
        :32
    ]


def client_address(request: HttpRequest | None) -> str:
    """``10.0.0.9``, or the whole ``2001:db8::/64``; empty without one, as through a Unix socket.

    X-Forwarded-For is believed as far as DLQ_TRUSTED_PROXIES says.
    """
    if request is None:
        return ""
    meta = request.META
    address = settings.DLQ_TRUSTED_PROXIES.client(
        meta.get("REMOTE_ADDR", ""), meta.get("HTTP_X_FORWARDED_FOR", "")
    )
    if isinstance(address, IPv6Address):
        return str(ip_network((int(address), _HOUSEHOLD), strict=False))
    return str(address) if address else ""
