"""A dead letter beside the most similar payload that passed."""

import pytest

from dlqconsole.contrib.insight.models import SuccessSample
from tests.security.scoped_world import limited

pytestmark = pytest.mark.django_db

ORDER = {"id": 7, "carrier": "MQ", "lines": [{"sku": "a", "price": 3}], "mail": "ann.smith@example.org"}


def passed(key, **changes):
    SuccessSample.objects.create(
        event_type="order.created", source="shop", source_key=key, payload=ORDER | changes
    )


def shown(client, number):
    answer = client.get(f"/dead-letters/{number}/nearest-success/")
    return answer.content.decode()


def test_the_most_similar_one_is_compared(viewer, letter):
    passed("far", id=1, carrier="UA", lines=[])
    passed("near", carrier="UA")
    one = letter(payload=ORDER, source="shop", source_key="one")
    passed("one")  # its own payload, of another time
    page = shown(viewer, one)
    assert "near" in page
    assert '"carrier": &quot;UA' not in page.partition("<del")[0]
    assert "&quot;UA&quot;" in page.partition("<del")[2].partition("</del>")[0]
    assert "&quot;MQ&quot;" in page.partition("<ins")[2].partition("</ins>")[0]
    assert "ann.smith" not in page


def test_without_a_sample_it_says_so(viewer, letter):
    assert "No payload of its type that passed is kept" in shown(viewer, letter())
    assert "No payload of its type that passed is kept" in shown(viewer, letter(payload_raw=b"\xff"))


def test_samples_of_other_queues_are_not_for_who_is_limited(letter):
    passed("near")
    one = letter(payload=ORDER)
    person = limited("viewer", [("*", "order.created")])
    assert "nearest-success" not in person.get(f"/dead-letters/{one}/").content.decode()
    assert "near" not in shown(person, one).partition("<main")[2].replace("nearest", "")
