"""The queues of one consumer share its work by weight, and a slow one delays no other."""

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core import messages
from dlqconsole.core.messages import ClaimResult, NewMessage
from dlqconsole.engine.models import Message
from tests.consuming.noting_handlers import CALLED

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def here(settings, started_with):
    """The noting handlers, in this process: none is forked from a test."""
    settings.DLQ_HANDLER_ISOLATION = "none"
    started_with("tests.consuming.noting_handlers")
    CALLED.clear()


def send(**counts):
    for queue, count in counts.items():
        messages.send_many(queue, [NewMessage("{}") for _ in range(count)])


def consume(names, **options):
    return Consumer(names, **options).run(until_empty=True)


@pytest.mark.parametrize("batch", [1, 2, 10, 50])
def test_the_shares_are_the_weights_while_both_have_messages(batch):
    send(fast=90, other=90)
    consume(["fast", "other"], weights={"fast": 3}, batch=batch)
    assert CALLED.count("fast") == CALLED.count("other") == 90
    a_round = 4 * max(1, batch // 3)
    whole_rounds = CALLED[: 100 // a_round * a_round]
    share = whole_rounds.count("fast") / len(whole_rounds)
    assert 0.6 < share < 0.9, "three of four, and what a busy machine adds"


def test_without_weights_each_has_the_same_share():
    send(fast=60, other=60)
    consume(["fast", "other"])
    assert 20 <= CALLED[:60].count("fast") <= 40


def test_what_a_queue_does_not_need_the_others_have():
    send(other=50)
    assert consume(["fast", "other"], weights={"fast": 1000}) == {ClaimResult.COMPLETED: 50}


@pytest.mark.parametrize("weights", [{}, {"fast": 5}])
def test_between_two_slow_messages_the_other_queue_has_its_time(weights):
    send(slow=4, fast=40)
    consume(["slow", "fast"], weights=weights)
    first, second = [place for place, name in enumerate(CALLED) if name == "slow"][:2]
    assert (first, CALLED.count("slow")) == (0, 4)
    if weights:
        assert second >= 10, "one at a time, and ten fast ones between"
    assert CALLED[:40].count("fast") >= 30, "the slow ones are not handled first"


def test_what_a_slow_queue_had_claimed_is_given_back_to_other_consumers():
    send(slow=8, fast=1)
    consumer = Consumer(["slow", "fast"], weights={"fast": 3})
    while "fast" not in CALLED:
        consumer._visit_queues()
    assert CALLED == ["slow", "fast"]
    assert Message.objects.filter(queue="slow", status="pending", retry_count=0).count() == 7


def test_the_command_takes_weights(capsys):
    send(fast=9, other=9)
    call_command("consume", "fast=3", "other=1", "--until-empty", "--verbosity", "0")
    assert capsys.readouterr().out == "18 completed\n"
    assert CALLED[0] == "fast"


@pytest.mark.parametrize("weight", ["0", "1001", "99999999999999999999"])
def test_a_weight_has_bounds(weight):
    with pytest.raises(CommandError, match="weight of “fast” must be between 1 and 1000"):
        call_command("consume", f"fast={weight}", "--until-empty")


@pytest.mark.parametrize("name", ["a=b", "=5", "a=", "a=-1", "a=٣"])
def test_a_name_with_an_equals_sign_is_a_name(name, capsys):
    """As plain SQL, which may send to any name, has made it."""
    Message.objects.create(queue=name, payload={}, headers={"ce_type": "fast"})
    call_command("consume", name, "--until-empty", "--verbosity", "0")
    assert capsys.readouterr().out == "1 completed\n"
