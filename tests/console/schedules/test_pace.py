"""The schedules' page shows how fast each event type is tried again, and why."""

import pytest
from django.contrib.auth.models import User

from dlqconsole.engine.models import PacedGroup
from dlqconsole.people.models import Scope

pytestmark = pytest.mark.django_db


def known(event_type, **columns):
    PacedGroup.objects.create(event_type=event_type, floor=1, ceiling=500, **columns)


def test_what_is_slowed_stands_first_with_its_reason_and_its_bounds(viewer):
    known("order.paid", share=0.02, recent_seconds=0.115, baseline_seconds=0.1)
    known(
        "order.created",
        rate=2 / 60,
        slowed_at="2026-11-22T17:03:00Z",
        why="34 % of 210 failed again",
        share=0.34,
    )
    text = " ".join(viewer.get("/schedules/").content.decode().split())
    assert text.index("order.created</a>") < text.index("order.paid</a>")
    assert "34 % of 210 failed again" in text
    assert "120 an hour" in text
    assert "within 60 a minute to 500 a second" in text
    assert ">115 ms<" in text
    assert "as fast as it goes" in text
    assert "When more than 20 % of a failure group fail again" in text


def test_before_anything_was_tried_again_it_says_the_rule(viewer, settings):
    assert "Nothing has been tried again yet." in viewer.get("/schedules/").content.decode()
    settings.DLQ_PACE_ENABLED = False
    assert "Switched off (DLQ_PACE_ENABLED)" in viewer.get("/schedules/").content.decode()


def test_a_limited_person_sees_the_paces_of_their_types(viewer):
    Scope.objects.create(user=User.objects.get(username="viewer"), queue="*", event_type="order.created")
    known("order.created")
    known("bill.sent")
    text = viewer.get("/schedules/").content.decode()
    assert "order.created" in text
    assert "bill.sent" not in text
