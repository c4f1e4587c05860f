"""The page on which a rehearsal is confirmed."""

import pytest

from dlqconsole.operations.models import Operation
from tests.console.operations.test_confirm_page import CONFIRM, CREATE, confirmed, text_of


@pytest.mark.parametrize("address", [CONFIRM, CREATE])
def test_options_that_do_not_go_together_are_a_sentence(operator, letter, address):
    letter()
    answer = operator.post(address, confirmed(kind="rehearse", on_spark="on", rate="5"))
    assert answer.status_code == 422
    sentence = "On Spark it goes as fast as it can: leave out the rate, or Spark."
    assert answer.context["errors"] == [sentence]
    assert sentence in text_of(answer)
    assert not Operation.objects.exists()
