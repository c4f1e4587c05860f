"""Who keeps samples of successes, what goes again, and what people can say about it."""

import pytest

from dlqconsole.contrib.insight.models import SampledType, SuccessSample
from dlqconsole.contrib.insight.samples import keeping, taking
from dlqconsole.contrib.insight.samples.keeping import InvalidSampling
from dlqconsole.contrib.insight.samples.sampling import SamplePolicy, Sampler
from dlqconsole.core import messages, successes
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.core.named_sql import execute
from dlqconsole.core.successes import Success
from dlqconsole.engine.models import AuditEntry
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.outcomes import Succeeded
from tests.engine.conftest import send  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db

WHY = {"actor": "user:7", "reason": "asked by the team"}


@pytest.fixture(autouse=True)
def take(settings, monkeypatch):
    """take(one_in) has a new keeper take so many; each success, before it is called."""

    def begin(one_in: int) -> None:
        settings.DLQ_SAMPLE_ONE_IN = one_in
        monkeypatch.setattr(taking, "_sampler", Sampler(lambda event_type: SamplePolicy()))
        monkeypatch.setattr(successes, "_keepers", [taking.SampleKeeper(settings)])

    begin(1)
    return begin


def given(payload, key="1", event_type="order.created", raw=None):
    return Success(Identity(event_type, "shop", key), payload, raw, False)


def keep(*given):
    successes.keep(given)


def test_a_consumer_keeps_what_it_succeeded_with(send):  # noqa: F811
    send(order_id=7)
    [claim] = messages.claim("order.created", 1, "me", 60)
    handled = HandlerResult(Identity("order.created", "shop", "7"), Succeeded(None, "null"))
    messages.complete_handled([(claim, handled)])
    kept = SuccessSample.objects.get()
    assert (kept.event_type, kept.source, kept.source_key, kept.payload) == (
        "order.created", "shop", "7", {"order_id": 7},
    )  # fmt: skip
    assert (kept.masked, kept.was_dead_letter, kept.by_rate, kept.stands_for) == (False, False, True, 1)


def test_an_event_is_one_sample_and_what_jsonb_cannot_hold_is_bytes():
    keep(given('{"a": 1}'), given('{"a": 2}'), given(None, "2", raw=b'{"a": "\\u0000"}'))
    assert [(row.payload, row.payload_raw and bytes(row.payload_raw)) for row in rows()] == [
        ({"a": 1}, None), (None, b'{"a": "\\u0000"}'),
    ]  # fmt: skip


def test_without_a_sample_nothing_is_asked(take, django_assert_num_queries):
    take(0)
    keep(given("{}"))
    with django_assert_num_queries(0):
        keep(*[given("{}", str(key)) for key in range(100)])
    assert not SuccessSample.objects.exists()


def test_a_policy_of_a_type_says_whether_and_how_and_is_audited(take):
    keeping.change("secret", one_in=0, masked=None, **WHY)
    keeping.change("open", one_in=None, masked=False, **WHY)
    take(1)
    personal = '{"email": "ann@example.org"}'
    for number, name in enumerate(("secret", "open", "usual")):
        keep(given(personal, str(number), name))
    assert {(row.event_type, row.masked, row.payload["email"]) for row in rows()} == {
        ("open", False, "ann@example.org"), ("usual", True, "‹email›"),
    }  # fmt: skip
    noted = AuditEntry.objects.order_by("id").first()
    assert (noted.actor, noted.action, noted.target) == ("user:7", "sampling changed", "event_type:secret")
    keeping.change("open", one_in=None, masked=None, **WHY)
    assert list(SampledType.objects.values_list("pk", flat=True)) == ["secret"]


def test_what_cannot_be_is_refused_with_a_sentence():
    for event_type, one_in, reason in (("", 1, "x"), ("a", -1, "x"), ("a", 1, " "), ("a" * 256, 1, "x")):
        with pytest.raises((InvalidSampling, InvalidInput)):
            keeping.change(event_type, one_in=one_in, masked=None, actor="user:7", reason=reason)
    with pytest.raises(InvalidSampling, match="everything is never meant"):
        keeping.erase(**WHY)


def test_old_ones_go_and_of_a_day_stay_those_with_the_smallest_hash(monkeypatch):
    monkeypatch.setattr(keeping, "MOST_PER_DAY", 20)
    keep(*[given("{}", str(key)) for key in range(60)])
    keep(*[given("{}", f"other {key}", "other") for key in range(5)])
    execute("UPDATE success_samples SET sampled_at = now() - interval '15 days' WHERE source_key = '3'", {})
    assert keeping.tidy() == 40
    assert SuccessSample.objects.filter(event_type="order.created").count() == 20
    assert SuccessSample.objects.filter(event_type="other").count() == 5
    stayed = set(SuccessSample.objects.values_list("source_key", flat=True))
    SuccessSample.objects.all().delete()
    keep(*[given("{}", str(key)) for key in reversed(range(60)) if key != 3])
    keeping.tidy()
    assert set(SuccessSample.objects.values_list("source_key", flat=True)) <= stayed


def test_a_person_s_samples_are_erased_and_the_audit_says_how_many():
    keep(*[given("{}", str(key)) for key in range(3)])
    assert keeping.erase(source="shop", source_key="1", **WHY) == 1
    assert keeping.erase(event_type="order.created", **WHY) == 2
    assert AuditEntry.objects.latest("id").detail == {"samples": 2}
    assert "shop" not in str(AuditEntry.objects.values_list("target", "detail"))


def rows():
    return SuccessSample.objects.order_by("id")
