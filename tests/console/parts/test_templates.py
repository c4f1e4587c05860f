"""Templates ask only for what views give, name their addresses, and keep to lines that can be read."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.base import Variable, VariableDoesNotExist
from django.utils import timezone

from dlqconsole.core import messages
from dlqconsole.engine import audit
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.queues import changes as queues
from dlqconsole.reports.models import Report, ReportRow
from dlqconsole.retries.policies import PolicyScope, keeping
from dlqconsole.runs.models import PipelineRun
from tests.asking import ask_for
from tests.of_features import all_of
from tests.template_files import FOLDER, TEMPLATES, named

# Django finds these by their names, and views those in a folder of a noun; the rest is included by others.
BY_NAME = re.compile(r"^([45]\d\d|admin/base_site|registration/login)\.html$")

# What the caller of a part may leave out: everything else is given by the view, whatever its value.
OPTIONAL = {
    "compact", "count", "icon_name", "kind", "label", "message.tags", "next_url", "page_from", "prev_url",
    "size", "target",
}  # fmt: skip


@pytest.fixture
def missing(monkeypatch) -> set[str]:
    """The names that templates asked for in vain."""
    found: set[str] = set()
    resolve = Variable._resolve_lookup

    def noted(self, context):
        try:
            return resolve(self, context)
        except VariableDoesNotExist:
            found.add(self.var)
            raise

    monkeypatch.setattr(Variable, "_resolve_lookup", noted)
    return found


@pytest.fixture
def addresses(letter) -> list[str]:
    """Pages with something of everything on them."""
    first = letter(status="DISCARDED", occurrences=3, error_stacktrace="Traceback")
    second = letter(payload_raw=b"\x00", queue="raw")
    audit.record("user:ann", "export", "dead_letters", detail={"rows": 1, "format": "csv"})
    operation = ask_for("revive", actor="user:ann", reason="fixed", expected=2, ids=[first, second])
    run = PipelineRun.objects.create(kind="ingest", subject="/in", total=9, done=3, message="reading")
    row = PipelineRun.objects.create(kind="report", status="failed", exit_status=1, message="No space left")
    report = Report.objects.create(
        name="daily", title="Orders", keys=["country"], metrics={"orders": "count", "paid_share": "share"}
    )
    day = timezone.now().date()
    for country in ("DE", "FR"):
        figures = {"orders": 1200, "paid_share": 0.5}
        ReportRow.objects.create(report=report, day=day, key={"country": country}, figures=figures)
    queues.create("kept", actor="user:ann", reason="new", retention="archive")
    messages.send("kept", b"{}")
    messages.complete(messages.claim("kept", 1, "me", 60))
    group = DeadLetter.objects.get(pk=first).group_id
    return [
        "/", "/dead-letters/", "/dead-letters/?status=DISCARDED", "/dead-letters/?q=nothing",
        "/dead-letters/?since=x", "/dead-letters/?grouping=group", "/places?text=order",
        f"/dead-letters/{first}/", f"/dead-letters/{second}/", "/groups/",
        f"/groups/{group}/", "/owners/", "/handover/",
        "/operations/", f"/operations/{operation.pk}/", "/queues/", "/queues/kept/", "/queues/raw/",
        "/queues/kept/archive/", "/schedules/", "/reports/",
        "/reports/daily/", "/reports/daily/?from=x", "/audit/", "/runs/", 
        f"/runs/{run.pk}/", f"/runs/{row.pk}/",
        *(page.format(group=group, letter=first) for page in all_of("PAGES")),
    ]  # fmt: skip


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_no_slot_without_something_behind_it(request, role, addresses, missing):
    client = request.getfixturevalue(role)
    for address in addresses:
        assert client.get(address).status_code in (200, 400), address
    assert missing - OPTIONAL == set()


def test_forms_of_a_queue_have_no_slot_without_something_behind_it(admin_user_client, missing, letter):
    queues.create("kept", actor="user:ann", reason="new")
    for action in ("policy", "pause", "resume", "purge", "drop"):
        assert admin_user_client.get(f"/queues/kept/{action}/").status_code == 200
    assert admin_user_client.get("/queues/new").status_code == 200
    number = messages.send("kept", "{}", delay=60)
    for action in ("", "due/", "delete/"):
        assert admin_user_client.get(f"/queues/kept/messages/{number}/{action}").status_code == 200
    assert missing - OPTIONAL == set()


def test_forms_of_the_schedule_have_no_slot_without_something_behind_it(admin_user_client, missing):
    made = keeping.add(PolicyScope("order.created"), {"rate": 2}, actor="user:100000001", reason="new").pk
    for address in (
        "run/", "pause/", "resume/", "policies/new", "policies/new?event_type=bill", f"policies/{made}/",
        f"policies/{made}/deletion/",
    ):  # fmt: skip
        assert admin_user_client.get(f"/schedules/{address}").status_code == 200
    assert missing - OPTIONAL == set()


def test_confirm_page_has_no_slot_without_something_behind_it(operator, letter, missing):
    asked = {"kind": "discard", "scope": "all", "filter": "type=order.created"}
    letter()
    assert operator.post("/dead-letters/operations/", asked).status_code == 200
    assert missing - OPTIONAL == set()


@pytest.mark.parametrize("template", TEMPLATES, ids=named)
def test_lines_can_be_read_and_addresses_have_names(template):
    lines = template.read_text().splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > 120] == []
    address = re.compile(r"""(href|src|action|formaction|hx-\w+)=["']/""")
    assert [line for line in lines if address.search(line)] == []


def python_sources() -> str:
    """All of the product's Python, as one text."""
    return "".join(file.read_text() for file in (Path(settings.BASE_DIR) / "dlqconsole").rglob("*.py"))


def all_sources() -> str:
    """The same, with all templates."""
    return python_sources() + "".join(template.read_text() for template in TEMPLATES)


def test_no_template_is_left_over():
    sources = all_sources()
    unused = [named(each) for each in TEMPLATES if f'"{named(each)}"' not in sources]
    assert [name for name in unused if not BY_NAME.match(name)] == []


def test_a_part_with_a_file_of_its_own_is_used_twice():
    """A part of one page alone stands in that page, or in the folder of its noun."""
    templates = "".join(template.read_text() for template in TEMPLATES)
    parts = [named(each) for each in (FOLDER / "console" / "parts").iterdir()]
    once = [part for part in parts if templates.count(f'"{part}"') < 2]
    # a part that Python names is a form's, and as many forms show it as there are
    code = python_sources()
    assert [part for part in once if f'"{part}"' not in code] == []
