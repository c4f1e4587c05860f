"""Templates of playbooks ask only for what views give."""

from dlqconsole.contrib.playbooks.tick import tick
from dlqconsole.engine.models import DeadLetter
from tests.accounts import actor_of
from tests.console.parts.test_templates import OPTIONAL, missing  # noqa: F401 - a fixture
from tests.contrib.playbooks.conftest import made, was_away


def test_playbooks_have_no_slot_without_something_behind_it(operator, viewer, missing, letter):  # noqa: F811
    letter()
    group = DeadLetter.objects.get().group_id
    row = made(actor_of("operator"), filter={"group": str(group)})
    was_away()
    tick()
    for client, pages in ((operator, ("", "edit/", "switch/", "look/", "deletion/")), (viewer, ("",))):
        for page in pages:
            assert client.get(f"/playbooks/{row.pk}/{page}").status_code == 200
        for address in ("/playbooks/", f"/groups/{group}/"):
            assert client.get(address).status_code == 200
    assert operator.get("/playbooks/new?kind=retry").status_code == 200
    assert operator.post(f"/playbooks/{row.pk}/edit/", {"do": "try"}).status_code == 422
    assert missing - OPTIONAL == set()
