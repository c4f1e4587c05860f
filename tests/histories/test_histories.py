"""Whatever happens in whatever order: nothing is lost, nothing is stuck, every number is true."""

import pytest

from tests.histories.machine import run_histories
from tests.plain_sql import value
from tests.sizes import sized

pytestmark = pytest.mark.histories


def test_any_history_keeps_every_event_every_failure_and_every_payload(theirs):
    run_histories(sized(11, 500), sized(25, 60))


def test_so_does_the_oldest_postgresql_that_we_support(on_15):
    assert value("SHOW server_version_num").startswith("15")
    run_histories(sized(3, 50), sized(20, 60))
