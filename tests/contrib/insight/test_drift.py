"""The beat's look: what came is added to its hours, and what is different is told once."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from dlqconsole.contrib.insight import drift, shapes
from dlqconsole.contrib.insight.models import PayloadChange, PayloadShape, ShapeProgress, SuccessSample
from dlqconsole.engine.models import FailureGroup

pytestmark = pytest.mark.django_db

NOW = datetime.now(UTC)
HOUR = NOW.replace(minute=0, second=0, microsecond=0)


@pytest.fixture
def looks(monkeypatch):
    """looks(moment) has the beat look at what came until then."""
    ShapeProgress.objects.create(number=1, until=HOUR - timedelta(days=1))

    def look(until):
        between = {"since": ShapeProgress.objects.get().until, "until": until}
        monkeypatch.setattr(drift, "fetch_dicts", lambda query, values: (
            [between] if "FOR UPDATE" in query else fetch_dicts(query, values)
        ))  # fmt: skip
        return drift.look()

    fetch_dicts = drift.fetch_dicts
    return look


def came(moment, payloads, stands_for=1):
    SuccessSample.objects.bulk_create(
        SuccessSample(
            event_type="order", source="shop", source_key=f"{moment} {number}", payload=payload,
            stands_for=stands_for, sampled_at=moment,
        )
        for number, payload in enumerate(payloads)
    )  # fmt: skip


def orders(seed, count=30, **changed):
    chosen = random.Random(seed)
    return [
        {"price": chosen.random(), "note": "x"} | ({"coupon": 1} if chosen.random() < 0.5 else {}) | changed
        for _ in range(count)
    ]


def twelve_hours_before(looks):
    for ago in range(12, 0, -1):
        came(HOUR - timedelta(hours=ago, minutes=-5), orders(ago))
    assert looks(HOUR) == 0
    return HOUR + timedelta(minutes=5)


def test_a_new_type_is_told_in_its_hour_and_once(looks):
    now = twelve_hours_before(looks)
    came(now, orders(50, price="12.50"))
    assert looks(now + timedelta(minutes=1)) == 1
    [change] = PayloadChange.objects.all()
    assert (change.event_type, change.path, change.kind, change.before, change.after, change.hour) == (
        "order", "price", "became", "number", "text", HOUR,
    )  # fmt: skip
    for later in (10, 65, 130):
        came(HOUR + timedelta(minutes=later), orders(later, price="12.50"))
        looks(HOUR + timedelta(minutes=later + 1))
    assert PayloadChange.objects.count() == 1


def test_what_only_fails_is_seen_too(looks):
    now = twelve_hours_before(looks)
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO dlq_events (event_type, payload, error_reason, created_at)"
            " VALUES ('order', %s, 'x', %s)",
            [('{"price": "12.50", "note": "x", "discount": {"code": 1}, "coupon": 1}', now)] * 40,
        )
    looks(now + timedelta(minutes=1))
    assert set(PayloadChange.objects.values_list("path", "kind")) == {
        ("price", "became"), ("discount", "appeared"),
    }  # fmt: skip


def test_a_few_failures_beside_many_successes_are_no_drift(looks):
    """Each of thirty samples stands for a thousand events; forty odd ones failed."""
    now = twelve_hours_before(looks)
    came(now, orders(51), stands_for=1_000)
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO dlq_events (event_type, payload, error_reason, created_at)"
            " VALUES ('order', %s, 'x', %s)",
            [('{"odd": 1}', now)] * 40,
        )
    assert looks(now + timedelta(minutes=1)) == 0


def test_what_comes_is_added_to_its_hour_and_paths_are_bounded(looks, monkeypatch):
    monkeypatch.setattr(shapes, "MOST_PATHS", 3)
    for minute in (1, 2):
        wide = {f"p{number}": 1 for number in range(9)} | {"users": {"ann@example.org": 1}}
        came(HOUR + timedelta(minutes=minute), [wide] * 5, stands_for=10)
        looks(HOUR + timedelta(minutes=minute, seconds=30))
    whole = PayloadShape.objects.get(path="")
    assert (whole.events, whole.payloads, whole.left_out) == (100, 10, 8)
    kept = PayloadShape.objects.exclude(path="")
    assert {(row.events, row.payloads, sum(row.types.values())) for row in kept} == {(100, 10, 100)}
    assert not kept.filter(path__contains="@").exists()


def test_one_worker_looks_at_a_time_and_the_clock_is_the_database_s():
    came(NOW - timedelta(minutes=5), orders(1))
    drift.look()
    assert PayloadShape.objects.get(path="").payloads == 30
    assert drift.looked_until() < datetime.now(UTC) - timedelta(seconds=drift.SETTLE - 5)
    drift.tidy()
    assert PayloadShape.objects.exists()


def test_pages_tell_it(viewer, looks, letter):
    now = twelve_hours_before(looks)
    came(now, orders(52, price="12.50"))
    looks(now + timedelta(minutes=1))
    text = " ".join(viewer.get("/drift/").content.decode().split())
    assert "became text; it was a number" in text
    assert f'href="/dead-letters/?type=order&amp;since={HOUR:%Y-%m-%dT%H}%3A00"' in text
    since = f"{HOUR:%Y-%m-%dT%H:%M}"
    assert viewer.get("/dead-letters/", {"type": "order", "since": since}).status_code == 200
    assert "Samples of successes" in text
    PayloadChange.objects.update(event_type="order.created")
    letter()
    group = FailureGroup.objects.get()
    assert "Changed shortly before it began" in viewer.get(f"/groups/{group.pk}/").content.decode()


def test_a_limited_person_does_not_see_what_is_about_everything(viewer, monkeypatch):
    from dlqconsole.engine.access_scope import AccessScope

    limited = AccessScope.of([("a", "a")])
    path = "dlqconsole.console.access.permissions.access_of_person"
    monkeypatch.setattr(path, lambda _user: limited)
    assert viewer.get("/drift/").status_code == 404
