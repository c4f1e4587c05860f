"""The rate of a token, counted for all processes by the database's clock, as the tries to sign in are."""

from datetime import timedelta

from dlqconsole.console.access.throttle import Allowance, spend
from dlqconsole.contrib.api.caller import Caller
from dlqconsole.contrib.api.problems import Problem

PER_MINUTE = 6_000


def take(caller: Caller, number: int = 1) -> None:
    """Count so many reports. Raises Problem, with the seconds to wait, when it is too many."""
    allowance = Allowance("reports of a token", PER_MINUTE, timedelta(minutes=1) / PER_MINUTE)
    _spent, wait = spend({f"reports:{caller.token_id}": allowance}, number)
    if wait:
        raise Problem(
            429,
            f"This token may report {PER_MINUTE:,} failures a minute. Nothing was stored: send it again"
            f" in {wait} s.",
            {"Retry-After": str(wait)},
        )
