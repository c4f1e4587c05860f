"""What has failed stands behind what was never tried: a failing head keeps no queue from its work."""

import pytest

from dlqconsole.core import messages
from dlqconsole.core.messages import reader as readers

pytestmark = pytest.mark.django_db(transaction=True)


def sent(count, **more):
    return [messages.send("orders", "{}", **more) for _ in range(count)]


def claimed(limit=10):
    return [claim.id for claim in messages.claim("orders", limit, "me", 60)]


def fail(count, delay=0.0):
    for claim in messages.claim("orders", count, "me", 60):
        messages.retry_later(claim, delay, "BillingAway: billing answered 503")


def test_a_retry_comes_after_all_that_was_never_tried():
    first, second, third = sent(3)
    fail(1)
    later = sent(1)
    assert claimed() == [second, third, *later, first]


def test_what_was_given_back_or_put_off_keeps_its_place():
    first, second = sent(2)
    messages.release(messages.claim("orders", 1, "me", 60))
    assert claimed() == [first, second]


def test_a_more_urgent_retry_comes_before_what_is_less_urgent():
    [plain], [urgent] = sent(1), sent(1, priority=1)
    fail(1)
    assert claimed() == [urgent, plain]


def test_within_a_group_a_retry_keeps_its_order():
    first, second = sent(2, group_key="customer-7")
    fail(1)
    [other] = sent(1)
    assert claimed() == [first, other]
    assert second not in claimed()


def test_under_a_lasting_backlog_retries_have_their_turn_once_a_minute():
    reader = messages.QueueReader("orders", "me")
    ids = sent(60)
    for claim in reader.claim(5, 60):
        messages.retry_later(claim, 0, "BillingAway: 503")
    assert [claim.id for claim in reader.claim(5, 60)] == ids[5:10]
    reader.behind_at = 0.0
    assert [claim.id for claim in reader.claim(5, 60)] == ids[:5], "a minute has passed"
    assert [claim.id for claim in reader.claim(5, 60)] == ids[10:15]
    assert readers.BEHIND_EVERY == 60


def test_such_a_look_that_finds_nothing_goes_on_with_the_backlog():
    reader = messages.QueueReader("orders", "me")
    ids = sent(20)
    assert [claim.id for claim in reader.claim(5, 60)] == ids[:5]
    reader.behind_at = 0.0
    assert [claim.id for claim in reader.claim(5, 60)] == ids[5:10]
