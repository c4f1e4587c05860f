"""What people are shown of a topic: nothing that a queue has and a topic has not."""

import pytest

from dlqconsole.operations.kinds import get
from dlqconsole.operations.requests import blockers

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_topic_s_page_says_what_it_is(attached, source, topic, viewer):
    source.send(topic, "{}")
    page = viewer.get(f"/queues/{attached.name}/").content.decode()
    assert "Kept there" in page
    assert "no record of them can be claimed or given back" in page
    assert "In flight" not in page
    assert "—</td>" in viewer.get("/queues/").content.decode()


def test_a_revive_says_where_it_would_wait(attached):
    there, missing = attached.name, f"{attached.name}-retry"
    said = blockers.blockers(get("revive"), [], [there, missing])
    assert said == (f"{missing} is not attached: they wait here until it is.",)
