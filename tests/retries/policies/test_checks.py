"""The values of a policy as the service stores them: those that it accepts, the database accepts, too."""

from datetime import time
from typing import Any

import pytest

from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.retries.policies.checks import InvalidPolicy

pytestmark = pytest.mark.django_db

WHO = {"actor": "cli:root", "reason": "because"}
NIGHT = {"window_begins": time(22), "window_ends": time(6), "window_zone": "UTC"}


def kept(**values: Any) -> Any:
    policy = keeping.add(PolicyScope("order.created"), values, **WHO)
    policy.refresh_from_db()
    return policy


def test_a_typed_value_is_stored_as_what_it_says():
    policy = kept(enabled="no", max_retries="1,000", rate="0.5", backoff="FIXED", backoff_base_seconds=60.0)
    assert (policy.enabled, policy.max_retries, policy.rate) == (False, 1_000, 0.5)
    assert (policy.backoff, policy.backoff_base_seconds) == ("fixed", 60.0)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"enabled": "perhaps"}, "enabled"),
        ({"max_retries": True}, "max_retries"),
        ({"rate": 0}, "rate"),
        ({"backoff": "sometimes"}, "backoff"),
        ({"backoff": "EXPONENTIAL", "backoff_base_seconds": 60.0}, "backoff_cap_seconds"),
        (NIGHT | {"window_days": "mon,mon"}, "window_days"),
        (NIGHT | {"window_days": ",".join(["tue"] * 8)}, "window_days"),
    ],
)
def test_a_value_that_cannot_be_stored_is_refused_beside_its_field(values, field):
    with pytest.raises(InvalidPolicy) as refusal:
        kept(**values)
    assert [name for name, _sentence in refusal.value.problems] == [field]
