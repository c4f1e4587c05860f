"""What a purge deletes for ever leaves nothing in samples and findings."""

import pytest

from dlqconsole.contrib.insight.models import CommonGround
from dlqconsole.engine.models import DeadLetter
from tests.operations.conftest import letters, quick, wakeups  # noqa: F401 - fixtures
from tests.operations.test_purge import purge
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)


def test_samples_and_findings_of_what_goes_go_too_and_no_others(letters):  # noqa: F811
    [gone] = letters(1, status="SUCCEEDED", source="shop", source_key="1")
    for key in "12":
        execute("INSERT INTO success_samples (event_type, source, source_key) VALUES ('a', 'shop', %s)", key)
    group = DeadLetter.objects.get(pk=gone).group_id
    CommonGround.objects.create(group_id=group, found={})
    CommonGround.objects.create(group_id=group + 1, found={})
    purge(filter={})
    assert column("SELECT source_key FROM success_samples") == ["2"]
    assert column("SELECT group_id FROM common_grounds") == [group + 1]
