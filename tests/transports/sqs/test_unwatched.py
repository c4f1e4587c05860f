"""Where the queues of SQS dead-letter to, as their redrive policies say."""

import pytest

from dlqconsole.transports import attachments, unwatched
from tests.transports.sqs.conftest import Pair

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_a_redrive_policy_names_and_nobody_attached_is_told(sqs, attached):
    another = Pair(sqs)
    another.send("{}")
    another.give_up()
    assert unwatched.look() == 1
    places = {each.name: each for each in unwatched.unwatched()}
    assert attached.name not in places
    place = places[f"sqs:{another.dead_name}"]
    assert (place.sources, place.messages) == ([f"sqs:{another.name}"], 1)
    attachments.attach(place.name, actor="test")
    assert place.name not in {each.name for each in unwatched.unwatched()}
