"""The limits that a `@handler` line names."""

import pytest

from dlqconsole.processing import handler
from dlqconsole.processing.errors import HandlerSetupError
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.limits import HandlerLimits


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ({"max_retries": 0}, HandlerLimits(max_retries=0)),
        ({"backoff": 60}, HandlerLimits(first_wait=60.0)),
        ({"backoff": (5, 600)}, HandlerLimits(first_wait=5.0, longest_wait=600.0)),
        ({"timeout": 0.5}, HandlerLimits(timeout=0.5)),
    ],
)
def test_each_is_kept(values, limits):
    @handler("limits.kept", **values)
    def kept(event, lookups):
        return None

    assert load_handlers.__wrapped__(__name__).limits["limits.kept"] == limits


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"max_retries": -1}, "max_retries is 0 to 1,000,000, not -1"),
        ({"max_retries": True}, "max_retries is 0 to 1,000,000, not True"),
        ({"backoff": 0.5}, "backoff is 1 to 2,678,400 seconds"),
        ({"backoff": (60, 5)}, "or the first and the longest wait"),
        ({"backoff": "1m"}, "backoff is 1 to 2,678,400 seconds"),
        ({"timeout": 0}, "timeout is a number of seconds above 0, not 0"),
        ({"batch": 1001}, "batch is 1 to 1000, not 1001"),
    ],
)
def test_what_is_no_limit_is_refused(values, sentence):
    with pytest.raises(HandlerSetupError, match=sentence):
        handler("limits.refused", **values)


def test_a_timeout_is_never_longer_than_the_setting():
    @handler("limits.timed", timeout=5)
    def kept(event, lookups):
        return None

    handlers = load_handlers.__wrapped__(__name__)
    assert handlers.seconds_for("limits.timed", 60) == 5
    assert handlers.seconds_for("limits.timed", 2) == 2
    assert handlers.seconds_for("limits.other", 60) == 60
