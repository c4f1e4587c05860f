"""A template asks only for what a view gives: no slot stands open for what does not exist."""

import pytest
from django.template.base import Variable, VariableDoesNotExist
from django.utils import timezone

from dlqconsole.engine import audit, messages
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.queues import changes as queues
from dlqconsole.reports.models import PipelineRun, Report, ReportRow
from tests.asking import ask_for

# What a partial's caller may leave out: everything else is given by the view, whatever its value.
OPTIONAL = {
    "compact", "count", "kind", "label", "message.tags", "next_url", "page_from", "prev_url", "size",
    "target",
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
    asked = ask_for("revive", actor="user:ann", reason="fixed", expected=2, ids=[first, second])
    PipelineRun.objects.create(kind="ingest", subject="/in", total=9, done=3, message="reading")
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
    return [
        "/", "/dead-letters/", "/dead-letters/?status=DISCARDED", "/dead-letters/?q=nothing",
        "/dead-letters/?since=x", f"/dead-letters/{first}/", f"/dead-letters/{second}/", "/groups/",
        f"/groups/{DeadLetter.objects.get(pk=first).group_id}/",
        "/operations/", f"/operations/{asked.pk}/", "/queues/", "/queues/kept/", "/queues/raw/",
        "/queues/kept/archive/", "/schedules/", "/reports/",
        "/reports/daily/", "/reports/daily/?from=x", "/audit/",
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
    assert missing - OPTIONAL == set()


def test_confirm_page_has_no_slot_without_something_behind_it(operator, letter, missing):
    asked = {"kind": "discard", "scope": "all", "filter": "type=order.created"}
    letter()
    assert operator.post("/dead-letters/operations/", asked).status_code == 200
    assert missing - OPTIONAL == set()
