"""A request that is sent again under its Idempotency-Key counts once, and has the same answer."""

import pytest

from dlqconsole.engine.models import Attempt, DeadLetter
from tests.accounts import person
from tests.contrib.api.conftest import BATCH, FAILED, Reporter, problem, token
from tests.threads import at_once


def test_the_same_key_is_the_same_answer_and_one_occurrence(reporter):
    answers = [reporter.post(Idempotency_Key="k1").content for _ in range(3)]
    assert len(set(answers)) == 1
    assert DeadLetter.objects.get().occurrences == 1
    assert Attempt.objects.count() == 1


def test_without_a_key_it_is_another_failure(reporter):
    for _ in range(2):
        reporter.post()
    assert DeadLetter.objects.get().occurrences == 2


def test_a_batch_counts_once_too(reporter):
    events = [FAILED, FAILED | {"id": "e2"}, FAILED]
    first, again = (reporter.post(events, BATCH, Idempotency_Key="k1").content for _ in range(2))
    assert first == again
    assert sorted(DeadLetter.objects.values_list("source_key", "occurrences")) == [("e1", 2), ("e2", 1)]


def test_a_report_counts_once_in_whichever_batch_it_is_sent_again(reporter):
    first, second = (
        FAILED | {"id": name, "error": FAILED["error"] | {"report": name}} for name in ("e1", "e2")
    )
    reporter.post([first], BATCH)
    assert reporter.post([second, first], BATCH, Idempotency_Key="k1").status_code == 201
    assert sorted(DeadLetter.objects.values_list("source_key", "occurrences")) == [("e1", 1), ("e2", 1)]


def test_a_key_is_no_other_failures(reporter):
    reporter.post(Idempotency_Key="k1")
    answer = reporter.post(FAILED | {"id": "e2"}, Idempotency_Key="k1")
    assert "came with another failure before" in problem(answer, 422)
    assert DeadLetter.objects.count() == 1


def test_each_person_has_keys_of_their_own(reporter):
    other = Reporter(token(person("billing")))
    for each in (reporter, other):
        assert each.post(Idempotency_Key="k1").status_code == 201
    assert DeadLetter.objects.get().occurrences == 2


def test_a_new_token_of_the_person_goes_on_with_the_keys(reporter):
    reporter.post(Idempotency_Key="k1")
    Reporter(token(person("shop"))).post(Idempotency_Key="k1")
    assert DeadLetter.objects.get().occurrences == 1


@pytest.mark.parametrize("key", ["", "x" * 256])
def test_a_key_has_a_length(reporter, key):
    assert "1 to 255 characters" in problem(reporter.post(Idempotency_Key=key), 422)


@pytest.mark.django_db(transaction=True)
def test_the_same_request_twice_at_once_counts_once():
    text = token(person("shop"))

    def send():
        return [Reporter(text).post(Idempotency_Key=f"k{n}").json()["id"] for n in range(5)]

    answers = at_once([send] * 4)
    assert len({id for answer in answers for id in answer}) == 1
    assert DeadLetter.objects.get().occurrences == 5
