"""Read the policies from the database: at most once a second for runs, anew for a page."""

import json
import time
from threading import Lock

from dlqconsole.core.lifecycle import retry_limits
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies.resolution import Policies
from dlqconsole.retries.sql import sql

READ_EVERY_SECONDS = 1.0

_lock = Lock()
_cache: tuple[float, Policies] | None = None


def current() -> Policies:
    """The policies, no older than a second."""
    global _cache
    with _lock:
        if _cache is None or time.monotonic() - _cache[0] >= READ_EVERY_SECONDS:
            _cache = (time.monotonic(), read())
        return _cache[1]


def read() -> Policies:
    """The policies as they are now."""
    rows = list(RetryPolicy.objects.all())
    groups = [row.group_id for row in rows if row.group_id is not None]
    row = fetch_dicts(sql("policies.around"), {"groups": groups})[0]
    types = {int(group): names for group, names in json.loads(row["types"]).items()}
    return Policies(rows, row["now"], types, retry_limits.handler_limits())


def forget() -> None:
    """Drop the cache: after a change, and between tests."""
    global _cache
    with _lock:
        _cache = None
    retry_limits.forget()
