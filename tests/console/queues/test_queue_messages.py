"""The messages on a queue: four lists in the order of their turn, and each message whole."""

import pytest
from django.urls import reverse

from dlqconsole.core import messages
from dlqconsole.core.messages import NewMessage
from dlqconsole.engine.models import Message

pytestmark = pytest.mark.django_db


def shown(client, name="orders", **asked):
    return client.get(reverse("dlq:queue_messages", args=[name]), asked).content.decode()


def test_the_live_ones_stand_in_the_order_of_their_turn(viewer):
    for number in range(3):
        messages.send("orders", f'{{"n": "number-{number}"}}', priority=number)
    messages.claim("orders", 1, "somebody:1:x", 60)
    text = shown(viewer)
    assert text.index("number-2") < text.index("number-1") < text.index("number-0")
    assert "In flight" in text
    assert "somebody:1:x" in text


def test_the_scheduled_and_the_waiting_have_lists_of_their_own(viewer):
    messages.send("orders", '"later"', delay=3600)
    messages.send_many("orders", [NewMessage(f'"group-{n}"', group_key="customer-7") for n in range(2)])
    assert "later" in shown(viewer, list="scheduled")
    waiting = shown(viewer, list="waiting")
    assert "group-1" in waiting
    assert "group-0" not in waiting
    assert "customer-7" in waiting


def test_a_message_held_back_for_an_undo_says_so(viewer):
    message = Message.objects.create(queue="orders", payload="revived", status="held")
    text = shown(viewer, list="held")
    assert text.count("Held back") == 2, "the tab, and the message"
    assert "revived" in text
    assert "revived" not in shown(viewer) + shown(viewer, list="scheduled")
    assert (
        "undo window"
        in viewer.get(reverse("dlq:queue_message", args=["orders", message.pk])).content.decode()
    )


@pytest.mark.parametrize("listed", ["live", "scheduled", "waiting", "held"])
def test_a_list_goes_on_where_its_page_ended(viewer, listed):
    options = {"scheduled": {"delay": 60}, "waiting": {"group_key": "k"}}.get(listed, {})
    messages.send_many("orders", [NewMessage(f'"n{n:03}"', **options) for n in range(121)])
    if listed == "held":
        Message.objects.update(status="held")
    seen, url = [], reverse("dlq:queue_messages", args=["orders"]) + f"?list={listed}"
    while url:
        response = viewer.get(url)
        seen += [row["preview"] for row in response.context["rows"]]
        url = (
            response.context["next_url"]
            and reverse("dlq:queue_messages", args=["orders"]) + response.context["next_url"]
        )
    assert seen == [f'"n{n:03}"' for n in range(1 if listed == "waiting" else 0, 121)]


def test_a_message_shows_its_payload_its_group_and_its_dead_letter(viewer, letter):
    dead = letter()
    first = messages.send("orders", "1", group_key="g")
    number = messages.send("orders", '{"amount": 1.10}', {"trace": "t-1"}, group_key="g")
    Message.objects.filter(pk=number).update(dlq_event_id=dead, revive_seq=1, last_error="billing said no")
    text = viewer.get(reverse("dlq:queue_message", args=["orders", number])).content.decode()
    for part in (
        "1.10",
        "t-1",
        "billing said no",
        f"dead letter {dead}",
        f">{first}</a>, the first of its group",
    ):
        assert part in text
    answer = viewer.get(reverse("dlq:queue_message_raw", args=["orders", number]))
    assert answer.content == b'{"amount": 1.10}'


def test_what_has_left_is_said_to_have_left(viewer):
    messages.send("orders", "1")
    assert viewer.get(reverse("dlq:queue_message", args=["orders", 10**15])).status_code == 404
    assert viewer.get(reverse("dlq:queue_message_raw", args=["orders", 10**15])).status_code == 404


def test_a_message_is_shown_under_its_own_queue_only(viewer):
    messages.send("other", "1")
    number = messages.send("orders", "1")
    assert viewer.get(reverse("dlq:queue_message", args=["other", number])).status_code == 404


def test_bytes_that_are_no_json_are_shown_as_bytes(viewer):
    message = Message.objects.create(queue="orders", payload=None, payload_raw=b"\xff\x00<script>")
    assert "&lt;script&gt;" in shown(viewer)
    assert viewer.get(reverse("dlq:queue_message", args=["orders", message.pk])).status_code == 200


@pytest.mark.parametrize(
    "after",
    ["x", "1~", "1~x", "9" * 30 + "~0", "1~999999999999", "1~9999-12-31", "~", "1~\x00", "1~\u0665", "1~1_0"],
)
@pytest.mark.parametrize("listed", ["live", "scheduled", "waiting", "held"])
def test_a_place_that_is_none_begins_at_the_beginning(viewer, listed, after):
    messages.send("orders", "1")
    assert (
        viewer.get(
            reverse("dlq:queue_messages", args=["orders"]), {"list": listed, "after": after}
        ).status_code
        == 200
    )


def test_a_list_that_is_none_is_not_found(viewer):
    messages.send("orders", "1")
    assert viewer.get(reverse("dlq:queue_messages", args=["orders"]), {"list": "all"}).status_code == 404


def test_a_stranger_sees_nothing(stranger):
    messages.send("orders", '"secret"')
    response = stranger.get(reverse("dlq:queue_messages", args=["orders"]))
    assert response.status_code == 403
    assert b"secret" not in response.content
