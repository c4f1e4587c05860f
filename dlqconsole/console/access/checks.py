"""Warnings of `manage.py check --deploy` about signing in."""

from typing import Any

from django.conf import settings
from django.core.checks import Tags, Warning, register

PROXY_UNKNOWN = Warning(
    "A proxy stands in front, and DLQ_TRUSTED_PROXIES does not say which.",
    hint="Everybody has the proxy's address then, and shares its tries: set it to 1, or to its network.",
    id="dlqconsole.W001",
)


@register(Tags.security, deploy=True)
def warn_about_proxy(**_: Any) -> list[Warning]:
    """Warn when a proxy is believed about the scheme but not about addresses."""
    proxies = settings.DLQ_TRUSTED_PROXIES
    is_known = bool(proxies.count or proxies.networks)
    return [PROXY_UNKNOWN] if settings.SECURE_PROXY_SSL_HEADER and not is_known else []
