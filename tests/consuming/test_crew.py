"""A handler that shares its consumer's process may end it, and with any status: the crew goes on."""

import os
import sys

import pytest

from dlqconsole.consuming.pool import ConsumerPool


@pytest.mark.parametrize("leave", [os._exit, sys.exit])
def test_a_consumer_that_its_handler_ended_without_an_error_is_replaced(db, tmp_path, leave):
    begun = tmp_path / "begun"

    def work(watch):
        if not begun.exists():
            begun.touch()
            with watch:
                leave(0)
        with watch:
            (tmp_path / "done").touch()

    crew = ConsumerPool(work, 1)
    assert crew.run() == 0
    assert crew.replaced == 1
    assert (tmp_path / "done").exists()
