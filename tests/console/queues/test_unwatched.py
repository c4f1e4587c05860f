"""Dead-letter queues that nobody watches: on /queues/ with a command each, in one line on the overview."""

from html import unescape

import pytest

from dlqconsole.transports.models import AttachedQueue, DeadLetterLook

pytestmark = pytest.mark.django_db


@pytest.fixture
def look():
    """A look at a RabbitMQ, of which a queue is attached."""
    AttachedQueue.objects.create(name="rabbitmq:a.dead", transport="rabbitmq", remote_name="a.dead")
    return DeadLetterLook.objects.create(transport="rabbitmq", looked_at="2026-11-26T10:00Z", queues=[])


def place(queue, *sources, messages=0, is_consumed=False):
    return {"queue": queue, "sources": sources, "messages": messages, "is_consumed": is_consumed}


def put(look, *places):
    look.queues = places
    look.save()


def text(client, path):
    return " ".join(unescape(client.get(path).content.decode()).split())


def test_the_page_tells_of_each_with_its_command(look, viewer):
    put(
        look,
        place("a.dead", "a", messages=9),
        place("b.dead", "b", *(f"c{n}" for n in range(6)), messages=1204),
        place("d dead;x", "d"),
        place("e.dead", "e", is_consumed=True),
        place("", "f"),
    )
    page = text(viewer, "/queues/")
    assert "<code>manage.py attach rabbitmq:b.dead</code>" in page
    assert "<code>manage.py attach 'rabbitmq:d dead;x'</code>" in page
    assert "1,204" in page
    assert "2 more" in page
    assert "Nowhere: what fails is lost" in page
    assert "attach rabbitmq:a.dead" not in page
    assert "attach rabbitmq:e.dead" not in page
    assert "RabbitMQ: 5 places for dead letters" in page


@pytest.mark.parametrize(
    ("places", "lines"),
    [
        ((), []),
        ((place("a.dead", "a", messages=9),), []),
        ((place("b.dead", "b"),), ["Attach 1 dead-letter queue that nobody watches."]),
        (
            (place("b.dead", "b", messages=1000), place("c.dead", "c", messages=204), place("d", "d")),
            ["Attach 3 dead-letter queues that nobody watches: 1,204 dead letters stand there."],
        ),
        (
            (place("b.dead", "b", messages=7), place("", "f")),
            [
                "See what becomes of failures on rabbitmq:f: they are lost.",
                "Attach 1 dead-letter queue that nobody watches: 7 dead letters stand there.",
            ],
        ),
    ],
)
def test_the_overview_has_a_line(look, viewer, places, lines):
    put(look, *places)
    page = text(viewer, "/")
    assert page.count("#unwatched") == len(lines)
    assert all(line in page for line in lines)


def test_what_nobody_could_look_at_is_said(look, viewer):
    look.problem = "RabbitMQ's management API at broker:15672: it does not let this account in."
    look.save()
    assert f"RabbitMQ: could not look. {look.problem}" in text(viewer, "/queues/")
    DeadLetterLook.objects.update(problem="", queues=None)
    assert "RabbitMQ cannot tell which of its queues hold dead letters." in text(viewer, "/queues/")


def test_without_attached_queues_nothing_is_said(viewer):
    assert "nobody watches" not in text(viewer, "/queues/")
