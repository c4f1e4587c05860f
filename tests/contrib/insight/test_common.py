"""What a group's dead letters have in common: read from the tables, masked, linked, kept for a while."""

import json
import random

import pytest
from django.db import connection

from dlqconsole.contrib.insight import common
from dlqconsole.contrib.insight.models import SuccessSample
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import FailureGroup
from tests.plain_sql import execute, value

pytestmark = pytest.mark.django_db


def succeeded(payloads, **columns):
    SuccessSample.objects.bulk_create(
        SuccessSample(
            event_type="order.created", source="shop", source_key=f"{columns}{n}", payload=body, **columns
        )
        for n, body in enumerate(payloads)
    )


def failed(payloads):
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO dlq_events (event_type, payload, error_reason)"
            " VALUES ('order.created', %s, 'Refused: no')",
            [(json.dumps(body),) for body in payloads],
        )
    return FailureGroup.objects.get().pk


def order(chosen, **more):
    return {"id": chosen.getrandbits(50), "data": {"carrier": chosen.choice("ABCDEFGH")}} | more


@pytest.fixture
def group():
    """Thirty that failed, twenty of them of the carrier MQ, beside two hundred that succeeded."""
    chosen = random.Random(1)
    succeeded([order(chosen, email="ann@example.org") for _ in range(200)])
    letters = [order(chosen, data={"carrier": "MQ"} if n < 20 else {"carrier": "A"}) for n in range(30)]
    return failed([letter | {"email": "bob@example.org"} for letter in letters])


def test_it_finds_what_was_planted_and_links_to_it(group):
    ground = common.ground_of(group)
    assert (ground.failures, ground.successes, ground.unread, ground.others) == (30, 200, 0, 0)
    [told] = [told for told in ground.found if told.says == "is MQ"]
    assert (told.path, told.failures, told.successes) == ("data.carrier", 20, 0)
    assert told.filter == "q=payload.data.carrier:MQ"
    matching = DeadLetterFilter.parse({"payload.data.carrier": "MQ"})
    assert matching.queryset().count() == 20


def test_nothing_personal_is_told_or_kept(group):
    assert not any("email" in told.path and told.says.startswith("is ") and "@" in told.says
                   for told in common.ground_of(group).found)  # fmt: skip
    assert "bob" not in value("SELECT found::text FROM common_grounds")


def test_what_was_found_is_kept_for_ten_minutes(group, django_assert_num_queries):
    first = common.ground_of(group)
    with django_assert_num_queries(1):
        assert common.ground_of(group) == first
    execute("UPDATE common_grounds SET computed_at = now() - interval '11 minutes'")
    assert common.ground_of(group).computed_at > first.computed_at


def test_what_had_failed_before_is_no_contrast(group):
    succeeded([{"data": {"carrier": "MQ"}}] * 100, was_dead_letter=True)
    assert common.ground_of(group).successes == 200


def test_the_page_says_it_and_the_group_s_page_loads_it(viewer, group):
    assert f'hx-get="/groups/{group}/common-ground/"' in viewer.get(f"/groups/{group}/").content.decode()
    text = viewer.get(f"/groups/{group}/common-ground/").content.decode()
    assert "<h1>" in text
    part = viewer.get(f"/groups/{group}/common-ground/", headers={"HX-Request": "true"}).content.decode()
    assert "<h1>" not in part
    for words in ("data.carrier", "is MQ", "67 %", "none", "30 failures", "200 sampled successes"):
        assert words in " ".join(part.split())
    assert f"/dead-letters/?group={group}&amp;q=payload.data.carrier:MQ" in part


def test_where_too_little_is_known_it_says_so(viewer):
    group = failed([{"a": 1}] * 10)
    text = viewer.get(f"/groups/{group}/common-ground/").content.decode()
    assert "Of order.created, 0 successes are kept as samples; it takes 30 to compare with." in text
    assert viewer.get("/groups/77/common-ground/").status_code == 404
