"""Parts of the archive in tests that look at everything: see tests/of_features.py."""

import pytest
from django.db import IntegrityError

from dlqconsole.contrib.archive import changing
from dlqconsole.contrib.archive.letters import find
from dlqconsole.engine.models import DeadLetter
from tests.console.access.answers import READ, ROW_TO_CHANGE
from tests.contrib.archive.world import put_away

ADDRESSES = {
    "archive": READ,
    "archive_restore": ROW_TO_CHANGE,
    "archive_restore_found": ROW_TO_CHANGE,
    "archive_erase": (302, 403, 403, 403, 404),
}
ARGUMENTS = {"archive_restore": [9], "archive_erase": [9]}
POSTS = {name: ADDRESSES[name] for name in ADDRESSES if name != "archive"}
PAGES = ("/archive/", "/runs/?job=archive")
READS = [("archive", "find", "--q", "x")]
# commands that take the number of a dead letter
OF_ONE = [("archive", "find")]
CHANGES = [("archive", "erase", "5")]
ASKED_WRONGLY = [(("archive", "find", "--since", "foo"), "since must be a date")]


def works_as_the_app() -> None:
    """One comes back closed, which nobody else's INSERT may be; the other is erased."""
    names = {"event_type": "old", "source": "s"}
    ids = [DeadLetter.objects.create(**names, source_key=str(key)).pk for key in range(2)]
    put_away(ids)
    changing.restore([find(ids[0])], "user:1", "test")
    assert DeadLetter.objects.get(pk=ids[0]).status == "DISCARDED"
    changing.erase([find(ids[1])], "user:1", "test")
    assert (find(ids[0]), find(ids[1])) == (None, None)
    DeadLetter.objects.filter(pk=ids[0]).delete()
    with pytest.raises(IntegrityError, match="a dead letter is not born DISCARDED"):
        DeadLetter.objects.create(**names, source_key="3", status="DISCARDED")
