"""A console that is no guest in their project cannot enqueue its tasks, and says so before anybody tries.

What a guest does is in tests/clients/django_tasks.
"""

import pytest

from dlqconsole.operations.kinds import get
from dlqconsole.operations.requests import blockers
from dlqconsole.transports import attachments
from dlqconsole.transports.errors import TransportUnavailable

pytestmark = pytest.mark.django_db
WHY = "Tasks cannot be revived here: django_tasks_db is not in INSTALLED_APPS. The console must be a guest"


def test_their_queue_cannot_be_attached():
    with pytest.raises(TransportUnavailable, match=WHY):
        attachments.attach("django-tasks:shop", actor="test")


def test_a_revive_says_so_before_it_is_confirmed():
    [sentence] = blockers.blockers(get("revive"), [], ["django-tasks:shop"])
    assert sentence.startswith(WHY)
