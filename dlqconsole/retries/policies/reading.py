"""The policies as the database has them: read at most once a second by what runs, anew by a page."""

import json
import time
from threading import Lock

from dlqconsole.engine.named_sql import fetch_dicts
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.policies.resolution import Policies
from dlqconsole.retries.sql import sql

READ_EVERY_SECONDS = 1.0

_lock = Lock()
_kept: tuple[float, Policies] | None = None


def current() -> Policies:
    """The policies, no older than a second."""
    global _kept
    with _lock:
        if _kept is None or time.monotonic() - _kept[0] >= READ_EVERY_SECONDS:
            _kept = (time.monotonic(), read())
        return _kept[1]


def read() -> Policies:
    """The policies as they are now."""
    rows = list(RetryPolicy.objects.all())
    groups = [row.group_id for row in rows if row.group_id is not None]
    found = fetch_dicts(sql("policies.around"), {"groups": groups})[0]
    types = {int(group): names for group, names in json.loads(found["types"]).items()}
    return Policies(rows, found["now"], types)


def forget() -> None:
    """Read them again when they are asked for next: after a change, and between tests."""
    global _kept
    with _lock:
        _kept = None
