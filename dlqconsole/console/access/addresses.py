"""The network address of a client, as far as a request can be believed about it."""

from ipaddress import IPv6Address, ip_network

from django.conf import settings
from django.http import HttpRequest

_HOUSEHOLD = 64  # bits of an IPv6 address that a provider gives to one customer, who chooses the rest


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
