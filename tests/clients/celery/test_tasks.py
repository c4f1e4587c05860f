"""A task that finally failed is a dead letter with its arguments; revived, its worker runs it again."""

import datetime
import decimal
import uuid

import pytest

from tests.clients.celery.shop import application

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def tasks(running_shop):
    """The tasks of the shop, to send them."""
    return application(running_shop)


def test_a_failed_task_comes_back_by_a_revive_and_its_success_closes_it(shop, tasks):
    key = tasks.charge.apply_async(("7", 12), {"currency": "EUR"}, headers={"tenant": "a"}).id
    letter = shop.letter(key)
    assert (letter["event_type"], letter["source"], letter["queue"]) == (
        "shop.charge",
        "celery:shop",
        "celery:shop",
    )
    assert letter["payload"] == {"args": ["7", 12], "kwargs": {"currency": "EUR"}}
    assert letter["error_reason"] == "BankIsAway: bank.example.org did not answer in 5 s"
    assert "ask_the_bank" in letter["error_stacktrace"]
    assert letter["headers"]["tenant"] == "a"
    assert letter["headers"]["celery"]["queue"] == "shop-mail"
    shop.broken.unlink()
    shop.revive(letter)
    shop.until(shop.is_closed(letter))
    assert shop.done() == ["charge (('7', 12), {'currency': 'EUR'})"]
    assert shop.attempts(letter) == [("reported", "failed"), ("revive", "succeeded")]


def test_arguments_keep_their_types(shop, tasks):
    values = (
        decimal.Decimal("1.10"), datetime.date(2026, 1, 2), uuid.UUID(int=7), b"\x00\xff", "a\x00b",
        float("nan"), (1, {2}), tasks.Size.SMALL, datetime.timedelta(seconds=3),
    )  # fmt: skip
    letter = shop.letter(tasks.keep.delay(*values).id)
    shop.broken.unlink()
    shop.revive(letter)
    shop.until(shop.is_closed(letter))
    assert shop.done() == [f"keep {values!r}"]


def test_a_task_goes_back_to_its_own_queue_and_fails_there_as_the_same_dead_letter(shop, tasks):
    letter = shop.letter(tasks.pack.delay("o1").id)
    assert letter["headers"]["celery"]["queue"] == "shop-parcels"
    shop.revive(letter)
    shop.until(lambda: len(shop.attempts(letter)) == 2)
    [again] = shop.letters()
    assert (again["id"], again["status"], again["occurrences"], again["come_backs"]) == (
        letter["id"], "PENDING", 2, 1,
    )  # fmt: skip
    shop.broken.unlink()
    shop.revive(letter)
    shop.until(shop.is_closed(letter))
    assert shop.attempts(letter) == [("reported", "failed"), ("revive", "failed"), ("revive", "succeeded")]
    assert shop.value("SELECT count(*) FROM forwarded_messages") == 0


def test_what_somebody_runs_again_by_other_means_closes_its_dead_letter(shop, tasks):
    letter = shop.letter(tasks.charge.delay(1).id)
    shop.broken.unlink()
    tasks.charge.apply_async((1,), task_id=letter["source_key"])
    shop.until(shop.is_closed(letter))
    assert shop.attempts(letter) == [("reported", "failed"), ("scheduler", "succeeded")]


def test_retries_are_no_failures_and_a_revived_task_has_all_its_retries_again(shop, tasks):
    letter = shop.letter(tasks.send_bill.delay("o1").id)
    assert shop.done() == ["try ('o1',)"] * 3
    assert shop.attempts(letter) == [("reported", "failed")]
    assert letter["headers"]["celery"]["retries"] == 2
    shop.revive(letter)
    shop.until(lambda: len(shop.attempts(letter)) == 2)
    assert shop.done() == ["try ('o1',)"] * 6


def test_a_task_that_returns_and_is_tried_again_all_the_same_has_not_succeeded(shop, tasks):
    letter = shop.letter(tasks.send_bills.delay("o1").id)
    shop.revive(letter)
    shop.until(lambda: len(shop.attempts(letter)) == 2)
    assert shop.attempts(letter) == [("reported", "failed"), ("revive", "failed")]
    shop.broken.unlink()
    shop.revive(letter)
    shop.until(shop.is_closed(letter))


def test_the_rest_of_a_chain_runs_when_its_failed_task_has_succeeded(shop, tasks):
    result = tasks.chain(tasks.pack.s("o1"), tasks.ship.s("o1")).apply_async()
    letter = shop.letter(result.parent.id)
    shop.broken.unlink()
    shop.revive(letter)
    shop.until(lambda: shop.done() == ["pack ('o1',)", "ship ('o1', 'o1')"])


def test_a_part_of_a_chord_is_a_dead_letter_of_its_own(shop, tasks):
    shop.broken.unlink()
    body = tasks.chord([tasks.pack.s("o1"), tasks.fail.s("o2")], tasks.ship.s("o")).apply_async()
    shop.until(shop.letters)
    [letter] = shop.letters()
    assert letter["event_type"] == "shop.fail"
    assert letter["headers"]["celery"]["group"] == body.parent.id
    assert letter["payload"]["chord"]["task"] == "shop.ship"


def test_what_is_ignored_is_no_failure_and_what_is_rejected_is_one(shop, tasks):
    tasks.leave.delay("ignore")
    letter = shop.letter(tasks.leave.delay("reject").id)
    assert letter["error_class"] == "Reject"
    assert len(shop.letters()) == 1


def test_a_task_that_loses_its_process_three_times_is_given_up_and_does_not_go_round(shop, tasks):
    letter = shop.letter(tasks.crash.delay("o1").id)
    assert shop.done() == ["crash ('o1',)"] * 3
    assert (letter["error_class"], letter["error_category"]) == ("TaskLost", "PERMANENT")
    shop.broken.unlink()
    shop.revive(letter)
    shop.until(shop.is_closed(letter))
    assert shop.done() == ["crash ('o1',)"] * 4


@pytest.mark.parametrize(("name", "error"), [("early", "WorkerLostError"), ("wait", "TimeLimitExceeded")])
def test_what_only_the_main_process_hears_of_is_told_once(shop, tasks, name, error):
    letter = shop.letter(getattr(tasks, name).delay("o1").id)
    assert (letter["error_class"], letter["payload"]["args"]) == (error, ["o1"])
    assert letter["headers"]["celery"]["queue"] == "shop-mail"
    shop.broken.unlink()
    shop.revive(letter)
    shop.until(shop.is_closed(letter))
    assert shop.attempts(letter) == [("reported", "failed"), ("revive", "succeeded")]


def test_a_task_that_no_worker_knows_is_kept(shop, tasks):
    letter = shop.letter(tasks.app.send_task("shop.refund", (1,), {"why": "x"}).id)
    assert (letter["event_type"], letter["error_class"]) == ("shop.refund", "NotRegistered")
    assert letter["payload"] == {"args": [1], "kwargs": {"why": "x"}}


def test_what_cannot_be_kept_is_said_and_not_sent(shop, tasks):
    letter = shop.letter(tasks.keep.delay(1, tasks.Order()).id)
    assert letter["payload"]["args"] == [1, {"$type": "unknown", "class": "shop:Order"}]
    assert letter["headers"]["dlq_not_revivable"][0]["path"] == "/args/1"
    shop.revive(letter)
    [again] = shop.letters()
    assert again["status"] == "PENDING"
    assert "It cannot be revived here: /args/1 was a shop:Order" in again["error_reason"]


@pytest.mark.parametrize("how", ["closed", "hanging up"])
def test_what_fails_while_the_database_is_away_comes_when_it_is_back_in_one_group(shop, tasks, how):
    with shop.database_away(how):
        keys = {tasks.charge.delay(number).id for number in range(30)}
        shop.until(lambda: all(tasks.app.AsyncResult(key).failed() for key in keys))
        assert shop.letters() == []
    shop.until(lambda: len(shop.letters()) == len(keys), 30)
    assert {letter["source_key"] for letter in shop.letters()} == keys
    assert len({letter["group_id"] for letter in shop.letters()}) == 1
    shop.broken.unlink()
    shop.revive(*shop.letters())
    shop.until(lambda: {letter["status"] for letter in shop.letters()} == {"SUCCEEDED"})
    assert len(shop.done()) == 30
