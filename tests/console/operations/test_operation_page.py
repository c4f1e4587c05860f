"""The receipt: who, why, what became of each; and what may be done with the operation now, by whom."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from dlqconsole.engine.models import AuditEntry, Message, RevivalOutcome
from dlqconsole.operations.models import Operation, OperationItem, OperationPart
from dlqconsole.runs import service
from dlqconsole.runs.models import PipelineRun
from tests.accounts import actor_of
from tests.asking import ask_for

pytestmark = pytest.mark.usefixtures("no_worker")


@pytest.fixture
def other(db) -> Client:
    """A second operator."""
    user = User.objects.create(username="other")
    user.groups.add(Group.objects.get(name="operator"))
    client = Client()
    client.force_login(user)
    return client


def made(**values: object) -> Operation:
    usual = {
        "request_key": uuid4(), "kind": "revive", "status": "running", "actor": actor_of("operator"),
        "reason": "the deploy fixed it", "scope": "filter", "filter": {"type": "a"},
        "filter_words": "type is a", "cutoff_id": 10**9, "frozen_to_id": 10**9,
        "expected": 10, "selected": 10,
    }  # fmt: skip
    return Operation.objects.create(**(usual | values))


def page_of(client: Client, operation: Operation) -> str:
    return " ".join(client.get(f"/operations/{operation.pk}/").content.decode().split())


def test_counts_add_up_and_what_was_shown_stands_beside_what_was_frozen(operator):
    """Promise 5, rule 6: skipped is not success."""
    operation = made(status="completed", expected=12, done=6, skipped=3, failed=1)
    for number, status in enumerate(["done"] * 6 + ["skipped"] * 3 + ["failed"]):
        reason = {"skipped": "is already REVIVED", "failed": "PlaneUnknown: N1"}.get(status, "")
        OperationItem.objects.create(
            operation=operation, dead_letter_id=number + 1, status=status, reason=reason
        )
    text = page_of(operator, operation)
    assert "12, on the list 10" in text
    assert "is already REVIVED" in text
    assert "PlaneUnknown: N1" in text
    assert "Run the failed 1 again" in text


def test_progress_is_a_number(operator):
    """A revived item counts as soon as it was handled."""
    operation = made(done=6, skipped=1)
    RevivalOutcome.objects.create(operation_id=operation.pk, succeeded=2, failed=1)
    assert '<progress max="100" value="40"' in page_of(operator, operation)


def test_what_is_handed_over_says_so_on_every_page(operator):
    values = {"status": "completed", "done": 10, "finished_at": timezone.now(), "started_at": timezone.now()}
    operation = made(**values)
    OperationPart.objects.create(operation=operation, queue="orders", event_type="a", items=10)
    RevivalOutcome.objects.create(operation_id=operation.pk, succeeded=2, failed=1)
    Message.objects.create(queue="orders", payload={})
    coming = "7 of 10 still to be handled: no consumer of orders is running."
    for address in (f"/operations/{operation.pk}/", "/", "/queues/orders/"):
        assert coming in " ".join(operator.get(address).content.decode().split())
    for address in (f"/operations/{operation.pk}/", "/operations/", "/operations/?status=open"):
        assert "Handed over" in operator.get(address).content.decode()
    assert "None is running" not in operator.get("/").content.decode()
    assert not operator.get("/operations/?status=done").context["operations"]
    RevivalOutcome.objects.create(operation_id=operation.pk, succeeded=7, failed=0)
    assert "Completed" in page_of(operator, operation)
    assert "None is running" in operator.get("/").content.decode()
    assert not operator.get("/operations/?status=open").context["operations"]


def test_what_a_queue_holds_back_is_no_empty_queue(operator):
    until = timezone.now() + timedelta(hours=1)
    operation = made(status="completed", done=3, finished_at=timezone.now(), undo_until=until)
    OperationPart.objects.create(operation=operation, queue="orders", event_type="a", items=3)
    for _ in range(3):
        Message.objects.create(queue="orders", payload={}, status="held")
    later = timezone.now() + timedelta(hours=1, minutes=59, seconds=50)
    Message.objects.create(queue="orders", payload={}, status="scheduled", next_retry_at=later)
    words = (
        f"3 held back for an undo until {until:%Y-%m-%d %H:%M:%S} UTC",
        "1 for later, the first in 1 h 59 min",
    )
    for address in ("/", "/queues/orders/"):
        page = operator.get(address).content.decode()
        assert [sentence for sentence in words if sentence not in page] == []


def test_a_running_one_is_paused_resumed_and_stopped(operator):
    operation = made()
    for verb, status in (("pause", "paused"), ("resumption", "running"), ("cancellation", "cancelled")):
        answer = operator.post(f"/operations/{operation.pk}/{verb}/", follow=True)
        operation.refresh_from_db()
        assert operation.status == status
        assert list(answer.context["messages"])
    again = operator.post(f"/operations/{operation.pk}/pause/", follow=True)
    assert "nothing was changed" in str(next(iter(again.context["messages"])))
    assert AuditEntry.objects.filter(operation_id=operation.pk).count() == 3


@pytest.mark.parametrize("verb", ["pause", "resumption", "cancellation", "approval", "refusal", "undo"])
@pytest.mark.parametrize("role", ["viewer", "stranger"])
def test_who_may_only_look_changes_nothing(request, role, verb):
    client = request.getfixturevalue(role)
    operation = made(status="awaiting", approval="needed")
    answer = client.post(f"/operations/{operation.pk}/{verb}/")
    assert answer.status_code == 403
    operation.refresh_from_db()
    assert operation.status == "awaiting"


def test_a_viewer_sees_why_the_buttons_are_off(viewer):
    assert 'aria-disabled="true"' in page_of(viewer, made())


def test_a_second_person_approves_exactly_what_is_frozen(operator, other):
    operation = made(
        status="awaiting",
        approval="needed",
        approve_until=timezone.now() + timedelta(hours=1),
        selected=14212,
    )
    own = page_of(operator, operation)
    assert "somebody else has to approve it" in own
    assert "/approval/" not in own
    theirs = page_of(other, operation)
    assert "Revive exactly 14,212 items, the list as it is, not one more: type is a" in theirs
    assert "Approve 14,212" in theirs
    operator.post(f"/operations/{operation.pk}/approval/")
    assert Operation.objects.get().status == "awaiting"
    other.post(f"/operations/{operation.pk}/approval/")
    operation.refresh_from_db()
    assert (operation.status, operation.approver) == ("running", actor_of("other"))
    assert 'by <span class="strong">other</span>' in page_of(operator, operation)
    assert "approved by other: 14,212, as listed" in page_of(operator, operation)


def test_a_second_person_may_refuse(operator, other):
    operation = made(status="awaiting", approval="needed", approve_until=timezone.now() + timedelta(hours=1))
    other.post(f"/operations/{operation.pk}/refusal/")
    assert Operation.objects.get().status == "cancelled"
    assert "refused by other: nothing was done" in page_of(operator, operation)


def test_one_person_alone_approves_by_typing_the_count(operator):
    operation = made(status="awaiting", approval="needed", approve_until=timezone.now() + timedelta(hours=1))
    assert "Type 10" in page_of(operator, operation)
    answer = operator.post(f"/operations/{operation.pk}/approval/", {"typed_count": "9"}, follow=True)
    assert "Type 10" in str(next(iter(answer.context["messages"])))
    operator.post(f"/operations/{operation.pk}/approval/", {"typed_count": "10"})
    assert Operation.objects.get().status == "running"


def test_what_waits_for_me_comes_first_and_my_own_does_not(operator, other):
    theirs = made(actor=actor_of("other"), status="awaiting", approval="needed")
    mine = made(status="awaiting", approval="needed")
    waiting = operator.get("/operations/").context["waiting"]
    assert [operation.pk for operation in waiting] == [theirs.pk]
    assert [operation.pk for operation in other.get("/operations/").context["waiting"]] == [mine.pk]


@pytest.mark.parametrize(
    ("chosen", "statuses"),
    [("open", {"running", "awaiting"}), ("awaiting", {"awaiting"}), ("done", {"completed"}),
     ("nonsense", {"running", "awaiting", "completed"})],
)  # fmt: skip
def test_the_list_is_filtered_by_how_far_they_are(operator, chosen, statuses):
    for status in ("running", "awaiting", "completed"):
        made(status=status)
    rows = operator.get(f"/operations/?status={chosen}").context["operations"]
    assert {operation.status for operation in rows} == statuses


def test_the_overview_names_what_waits_for_a_person(operator):
    for status in ("awaiting", "halted", "paused"):
        made(status=status, note="Halted: 3 of 5 failed again." if status == "halted" else "")
    actions = " ".join(action["text"] for action in operator.get("/").context["next_actions"])
    for words in ("Approve or refuse operation", "3 of 5 failed again", "Resume or cancel operation"):
        assert words in actions


def test_undo_says_until_when_and_then_what_came_of_it(operator, letter):
    operation = made(
        status="completed", done=10, finished_at=timezone.now(),
        undo_until=timezone.now() + timedelta(minutes=1),
    )  # fmt: skip
    text = page_of(operator, operation)
    assert "Undo: 10 can be pulled back until" in text
    key = uuid4()
    answer = operator.post(f"/operations/{operation.pk}/undo/", {"request_key": key})
    undo = Operation.objects.get(kind="undo")
    assert answer["Location"] == f"/operations/{undo.pk}/"
    assert undo.reason == f"Takes back operation {operation.pk}."
    # the same click twice is one undo, and another says that it is one already
    operator.post(f"/operations/{operation.pk}/undo/", {"request_key": key})
    operator.post(f"/operations/{operation.pk}/undo/", {"request_key": uuid4()})
    assert Operation.objects.filter(kind="undo").count() == 1
    Operation.objects.filter(pk=undo.pk).update(status="completed", selected=10, done=9, skipped=1)
    text = page_of(operator, operation)
    assert "9 pulled back, 1 already taken" in text
    assert "can be pulled back until" not in text


def test_what_cannot_be_taken_back_offers_no_undo(operator):
    assert "/undo/" not in page_of(operator, made(kind="purge", status="completed", done=10))
    assert "/undo/" not in page_of(operator, made())


def test_a_canary_shows_its_stages_and_why_it_halted(operator):
    canary = {"probes": 5, "threshold": 10, "watch_seconds": 60}
    operation = made(
        status="halted", stage=1, done=6, note="Halted: 3 of 6 failed again.", parameters={"canary": canary}
    )
    detail = {"stage": 1, "succeeded": 5, "failed_again": 0}
    AuditEntry.objects.create(
        actor="canary", action="advance", target=f"operation:{operation.pk}", operation_id=operation.pk,
        detail=detail,
    )  # fmt: skip
    answer = operator.get(f"/operations/{operation.pk}/")
    assert [stage["state"] for stage in answer.context["stages"]] == [
        "done", "halted", "not reached", "not reached",
    ]  # fmt: skip
    text = page_of(operator, operation)
    assert "5 succeeded, 0 failed again" in text
    assert "each stage watched for at most 60 s" in text
    assert "Halted: 3 of 6 failed again." in text
    assert "Go on with all 4…" in text
    assert "Probe 4 again" in text


def test_a_halted_canary_goes_on_for_a_reason_only(operator):
    """A page asks for it, also without scripts, and says the number; to open it changes nothing."""
    operation = made(status="halted", stage=0, done=5, note="Halted: more than 10 % failed again.")
    address = f"/operations/{operation.pk}/resumption/"
    assert "Go on with all 5" in operator.get(address).content.decode()
    assert operator.post(address, {"reason": " "}).status_code == 422
    assert Operation.objects.get().status == "halted"
    operator.post(address, {"reason": "the five were odd"})
    assert Operation.objects.get().status == "running"
    assert "went on with all 5, without the canary that halted it: “the five were odd”" in page_of(
        operator, operation
    )
    assert operator.get(address).status_code == 302


def test_a_paused_one_is_not_resumed_by_looking(operator):
    operation = made(status="paused")
    assert operator.get(f"/operations/{operation.pk}/resumption/").status_code == 302
    assert Operation.objects.get().status == "paused"


def test_an_undo_and_what_it_undid_lead_to_each_other(operator):
    first = made(kind="discard", status="completed", done=10)
    undo = made(kind="undo", status="completed", done=10, source_operation=first, source_outcome="done")
    Operation.objects.filter(pk=first.pk).update(undone_by=undo)
    assert f'<a href="/operations/{undo.pk}/">' in page_of(operator, first)
    assert f'Takes back <a href="/operations/{first.pk}/">' in page_of(operator, undo)


def test_an_exports_file_is_offered_to_who_asked_for_it(operator, other):
    operation = made(
        kind="export", status="completed", done=10, filter={}, parameters={"format": "csv"},
        result={
            "bytes": 2048, "rows": 10, "sha256": "ab" * 32, "format": "csv", "masked": True,
            "notes": ["2 sheets."],
        },
    )  # fmt: skip
    assert f'href="/operations/{operation.pk}/export"' in page_of(operator, operation)
    assert f'href="/operations/{operation.pk}/export"' not in page_of(other, operation)
    assert "2 sheets." in page_of(other, operation)
    # its rows are in the file, and not on the page
    assert "items.csv" not in page_of(operator, operation)


def test_later_arrivals_are_a_chip_and_not_included(operator, letter):
    """Rule 2, frozen scope: what came after the click is counted, not touched."""
    operation = made(status="completed", cutoff_id=letter("a"), selected=1, done=1)
    letter("a"), letter("b")
    text = page_of(operator, operation)
    assert "1 that came later matches too; it is not included." in text


def test_text_from_elsewhere_is_shown_and_not_obeyed(operator):
    operation = made(reason="<script>x</script>\u202e", filter_words="reason contains <b>", note="<i>")
    text = page_of(operator, operation)
    assert "<script>x" not in text
    assert "⟦U+202E⟧" in text


def test_the_receipt_leads_to_the_run_that_works_on_it(viewer, letter):
    operation = ask_for("replay", actor=actor_of("ann"), ids=[letter()], expected=1)
    assert "Works in" not in viewer.get(f"/operations/{operation.pk}/").content.decode()
    for status in ("failed", "running"):
        run = PipelineRun.objects.create(kind="replay", operation_id=operation.pk, status=status)
    page = viewer.get(f"/operations/{operation.pk}/")
    assert f'<a href="/runs/{run.pk}/">run {run.pk}</a>' in page.content.decode()
    assert "Message</th>" not in page.content.decode(), "nothing was sent"
    Operation.objects.update(status="completed")
    over = viewer.get(f"/operations/{operation.pk}/").content.decode()
    assert "Worked in" in over
    # its process has a moment to end
    assert "Running" not in over
    Operation.objects.update(status="running", note=f"Run {run.pk} of the pipeline works on it.")
    assert "how long it still takes" in viewer.get(f"/operations/{operation.pk}/").content.decode()
    assert "it waits" not in str(viewer.get("/").context["next_actions"])
    PipelineRun.objects.update(status="asked", asked_at=timezone.now())
    assert "it waits: Run" in str(viewer.get("/").context["next_actions"])
    assert service.starter_command() in viewer.get(f"/operations/{operation.pk}/").content.decode()
