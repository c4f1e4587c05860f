"""What `manage.py check --deploy` says about signing in."""

from typing import Any

from django.conf import settings
from django.core.checks import Tags, Warning, register

PROXY_UNKNOWN = Warning(
    "A proxy stands in front, and DLQ_TRUSTED_PROXIES does not say which.",
    hint="Everybody has the proxy's address then, and shares its tries: set it to 1, or to its network.",
    id="dlqconsole.W001",
)


@register(Tags.security, deploy=True)
def proxies_are_known(**_: Any) -> list[Warning]:
    """Whether a proxy is believed about the scheme, and about addresses too."""
    trusted = settings.DLQ_TRUSTED_PROXIES
    is_known = bool(trusted.count or trusted.networks)
    return [PROXY_UNKNOWN] if settings.SECURE_PROXY_SSL_HEADER and not is_known else []
