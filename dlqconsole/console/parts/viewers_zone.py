"""The time zone of the person who looks: theme.js names it in a cookie, so the first page is in UTC."""

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from django.http import HttpRequest

from dlqconsole.configuration.time_of_day import zones

COOKIE = "dlq_zone"


def zone_of(request: HttpRequest) -> tzinfo:
    """Return the zone that the browser named; UTC if it named none that this machine knows."""
    name = request.COOKIES.get(COOKIE, "UTC")
    return ZoneInfo(name) if name != "UTC" and name in zones() else UTC
