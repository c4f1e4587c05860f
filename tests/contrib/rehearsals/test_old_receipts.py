"""What a rehearsal said of each dead letter goes with the operation's items."""

import pytest

from dlqconsole.contrib.rehearsals.models import Prediction
from dlqconsole.operations.receipts.receipt import forget_old_items
from tests.operations.test_old_receipts import done

pytestmark = pytest.mark.django_db


def test_it_is_forgotten_with_the_items(letters):
    (letter,) = letters(1, status="DISCARDED")
    operation = done("purge", [letter])
    Prediction.objects.create(operation=operation, dead_letter_id=letter, payload_version=0, would="fail")
    assert forget_old_items(180) == 1
    assert not Prediction.objects.exists()
