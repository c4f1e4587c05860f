"""Checks that Redis answers. Without it, running work goes on, and new work waits."""

from collections.abc import Iterator
from functools import cache

from django.conf import settings
from redis import Redis, RedisError

SECONDS = 1.0


def check() -> Iterator[str]:
    try:
        _client().ping()
    except (RedisError, OSError):
        yield "the broker (Redis) does not answer: what runs goes on, what is new begins when it is back"


@cache
def _client() -> Redis:
    return Redis.from_url(settings.REDIS_URL, socket_timeout=SECONDS, socket_connect_timeout=SECONDS)
