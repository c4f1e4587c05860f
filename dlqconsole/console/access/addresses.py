"""Where a request comes from, as far as that can be believed."""

from ipaddress import IPv6Address, ip_network

from django.conf import settings
from django.http import HttpRequest

_HOUSEHOLD = 64  # bits of an IPv6 address that one customer has; the others he may choose


def client_address(request: HttpRequest | None) -> str:
    """``10.0.0.9``, or the whole ``2001:db8::/64``; empty where there is none, as through a Unix socket.

    X-Forwarded-For is believed as far as DLQ_TRUSTED_PROXIES says.
    """
    if request is None:
        return ""
    meta = request.META
    found = settings.DLQ_TRUSTED_PROXIES.client(
        meta.get("REMOTE_ADDR", ""), meta.get("HTTP_X_FORWARDED_FOR", "")
    )
    if isinstance(found, IPv6Address):
        return str(ip_network((int(found), _HOUSEHOLD), strict=False))
    return str(found) if found else ""
