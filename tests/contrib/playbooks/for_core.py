"""Parts of playbooks in tests that look at everything: see tests/of_features.py."""

from dlqconsole.contrib.playbooks.models import Playbook, PlaybookEntry
from dlqconsole.operations.models import Operation
from dlqconsole.people.models import Scope
from tests.accounts import person
from tests.console.access.answers import ACT, READ, ROW, ROW_TO_CHANGE
from tests.contrib.playbooks.conftest import made
from tests.security.scoped_world import MARK, SCOPES, World

_TO_CHANGE = {f"playbook_{what}": ROW_TO_CHANGE for what in ("edit", "switch", "look", "delete")}
ADDRESSES = {"playbooks": READ, "playbook_new": ACT, "playbook": ROW, **_TO_CHANGE}
ARGUMENTS = {name: [9] for name in ("playbook", *_TO_CHANGE)}
POSTS = {"playbook_new": (302, 403, 403, 422, 422), **_TO_CHANGE}
PAGES = ("/playbooks/",)
FORMS = ("/playbooks/new",)
READS = [("playbooks",), ("playbooks", "list")]
BEGUN = "SELECT 'playbook' FROM playbooks"


def rows(actor: str) -> dict[str, list[int]]:
    """Make one with an entry; return numbers by the argument of addresses."""
    playbook = made(actor)
    PlaybookEntry.objects.create(
        playbook=playbook, outcome="asked", why="x", edge=1, part=1, operation=Operation.objects.first()
    )
    return {"playbook_id": [playbook.pk]}


def row_pages() -> list[str]:
    """Return pages of each row that there is."""
    numbers = Playbook.objects.values_list("pk", flat=True)
    return [f"/playbooks/{number}/{page}" for number in numbers for page in ("", "edit/")]


def wide_pages(actor: str) -> list[str]:
    """Return pages with texts as long as they may be."""
    playbook = made(actor, name="p" * 100, filter={"type": "t" * 255}).pk
    return [f"/playbooks/{playbook}/", f"/playbooks/{playbook}/edit/"]


def in_and_out_of_scope(world: World) -> None:
    """One of somebody who is limited to the same, and one of somebody who is not."""
    near = person("near")
    for queue, event_type in SCOPES:
        Scope.objects.create(user_id=near.removeprefix("user:"), queue=queue, event_type=event_type)
    world.seen["playbook_id"] = [_playbook("of ours", "billing.paid", near)]
    world.hidden["playbook_id"] = [_playbook(f"{MARK}playbook", f"{MARK}type.a", person("far"))]


def _playbook(name: str, event_type: str, whose: str) -> int:
    row = Playbook.objects.create(
        name=name,
        acts_for=whose,
        created_by=whose,
        filter={"type": event_type},
        trigger="breaker",
        trigger_options={"key": f"type:{event_type}"},
        kind="revive",
        options={},
        per_day=10,
        operations_per_day=1,
    )
    PlaybookEntry.objects.create(playbook=row, outcome="held", why=f"{name} waits", edge=1, part=0)
    return row.pk
