"""Failure groups: the list, one group's page, and what people change there."""

import re
from uuid import uuid4

import pytest

from dlqconsole.engine.models import AuditEntry, DeadLetter, FailureGroup
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Operation, OperationGroup
from dlqconsole.operations.receipts import past_actions
from dlqconsole.triage import changes as group_life
from dlqconsole.triage.changes import GroupEditor
from tests.moving import bring_to
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db


@pytest.fixture
def group(letter):
    for _ in range(3):
        letter(group_key="plane-7")
    letter(status="EXHAUSTED")
    return FailureGroup.objects.get()


def form(verb, **fields):
    return {"verb": verb, "version": "1"} | fields


def links(answer):
    return re.findall(r'href="([^"]+)"[^>]*data-open', answer.content.decode())


def test_triage_takes_two_clicks_and_j(viewer, group):
    [to_group] = links(viewer.get("/"))
    letters = links(viewer.get(to_group))
    newest, before = DeadLetter.objects.order_by("-created_at", "-id").values_list("pk", flat=True)[:2]
    assert letters[0] == f"/dead-letters/{newest}/?group={group.pk}"
    assert f'rel="next" href="/dead-letters/{before}/?q=group:{group.pk}"' in (
        viewer.get(letters[0]).content.decode()
    )


def test_the_page_counts_by_status_and_names_what_is_affected(viewer, group):
    text = viewer.get(f"/groups/{group.pk}/").content.decode()
    assert "4 dead letters" in text
    assert f"/dead-letters/?group={group.pk}&amp;status=EXHAUSTED" in text
    assert "plane-7" in text
    assert "Viewers may look but not change" in text


def test_an_operator_gets_each_action_with_its_count_over_the_whole_group(operator, group):
    text = operator.get(f"/groups/{group.pk}/").content.decode()
    for words in ("Revive 4…", "Retry now 4…", "Discard 4…"):
        assert words in text
    assert "Restore" not in text
    bring_to("DISCARDED", DeadLetter.objects.filter(status="EXHAUSTED"))
    page = operator.get(f"/groups/{group.pk}/")
    restore = next(action for action in page.context["actions"] if action["kind"].name == "restore")
    assert (restore["count"], restore["filter"]) == (1, f"group={group.pk}&status=DISCARDED")
    answer = operator.post(
        "/dead-letters/operations/", {"kind": "restore", "scope": "all", "filter": restore["filter"]}
    )
    assert answer.status_code == 200
    assert "Restore 1" in answer.content.decode()


def test_what_nobody_handles_is_not_counted_by_retry_now(operator, viewer, group, letter):
    """The preview said none of them, and the page nowhere why."""
    letter("order.lost"), letter("order.lost", status="EXHAUSTED")
    row = FailureGroup.objects.get(event_type="order.lost")
    text = " ".join(operator.get(f"/groups/{row.pk}/").content.decode().split())
    assert "Revive 2…" in text
    assert "Retry now<span" in text
    assert f'aria-disabled="true" title="{Kind.no_handler}"' in text
    said = (
        'a handler for <span class="mono">order.lost</span> (2): schedule and retries leave them as they are'
    )
    assert said in text
    assert said in " ".join(viewer.get(f"/groups/{row.pk}/").content.decode().split())
    operator.post(f"/groups/{row.pk}/", form("merge", into=str(group.pk), reason="the same"))
    letter("order.lost"), letter("order.lost")
    text = operator.get(f"/groups/{group.pk}/").content.decode()
    assert "Revive 6…" in text
    assert "Retry now 4…" in text
    preview = {"kind": "retry", "scope": "all", "filter": f"group={group.pk}"}
    assert operator.post("/dead-letters/operations/", preview).context["preview"]["eligible"] == 4


def test_what_a_payload_says_that_it_is_can_be_retried(operator, letter):
    letter("order.lost", {"specversion": "1.0", "id": "1", "source": "shop", "type": "order.created"})
    group = FailureGroup.objects.get()
    assert "Retry now 1…" in operator.get(f"/groups/{group.pk}/").content.decode()


def test_words_are_saved_and_shown(operator, viewer, group):
    words = {"owner": "ana", "ticket": "https://tickets.example/42", "note": "<b>ask billing</b>"}
    assert operator.post(f"/groups/{group.pk}/", form("describe", **words)).status_code == 302
    text = viewer.get(f"/groups/{group.pk}/").content.decode()
    assert 'href="https://tickets.example/42"' in text
    assert "&lt;b&gt;ask billing&lt;/b&gt;" in text


def test_a_ticket_that_is_no_web_address_is_never_a_link(operator, group):
    for ticket in ("javascript:alert(1)", "JIRA-7", "//evil.example", "https://a b", "data:text/html,x"):
        FailureGroup.objects.update(ticket=ticket)
        assert operator.get(f"/groups/{group.pk}/").context["ticket_url"] == ""


def test_the_second_of_two_people_keeps_their_words_and_sees_the_others(operator, group):
    group_life.describe(group.pk, GroupEditor("user:bo", 1), owner="bo", note="their words", ticket="")
    answer = operator.post(f"/groups/{group.pk}/", form("describe", owner="ana", note="my words", ticket=""))
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "their words" in text
    assert "my words" in text
    assert FailureGroup.objects.get().note == "their words"
    again = form("describe", owner="ana", note="my words", ticket="") | {"version": "2"}
    assert operator.post(f"/groups/{group.pk}/", again).status_code == 302
    assert FailureGroup.objects.get().note == "my words"


def test_what_is_resolved_or_snoozed_stands_apart(operator, group):
    operator.post(f"/groups/{group.pk}/", form("resolve", reason="deploy 42"))
    assert not links(operator.get("/groups/"))
    assert links(operator.get("/groups/?state=resolved")) == [f"/groups/{group.pk}/"]
    operator.post(f"/groups/{group.pk}/", form("snooze", version="2", until="8h"))
    assert not links(operator.get("/groups/"))
    assert links(operator.get("/groups/?state=snoozed")) == [f"/groups/{group.pk}/"]
    operator.post(f"/groups/{group.pk}/", form("reopen", version="3"))
    assert links(operator.get("/groups/")) == [f"/groups/{group.pk}/"]
    actions = AuditEntry.objects.order_by("id").values_list("action", flat=True)
    assert list(actions) == ["resolve", "snooze", "reopen"]


def test_what_came_back_is_said_loudly(operator, group, letter):
    operator.post(f"/groups/{group.pk}/", form("resolve"))
    letter()
    assert "A resolved failure occurred again" in operator.get("/").content.decode()
    assert "Regressed" in operator.get("/groups/").content.decode()
    assert "It failed again" in operator.get(f"/groups/{group.pk}/").content.decode()


def test_the_list_is_filtered_by_owner(viewer, group, letter):
    letter(error_reason="Other: no")
    FailureGroup.objects.filter(pk=group.pk).update(owner="ana")
    assert links(viewer.get("/groups/?owner=ana")) == [f"/groups/{group.pk}/"]
    assert "No failure groups here" in viewer.get("/groups/?owner=%00&state=regressed").content.decode()


@pytest.mark.parametrize(
    "fields",
    [
        {"verb": "explode"},
        {"verb": "resolve", "version": "x"},
        {"verb": "snooze"},
        {"verb": "snooze", "until": "soon"},
        {"verb": "snooze", "until": "9999w"},
        {"verb": "snooze", "until": "2026-13-45T99:99"},
        {"verb": "snooze", "more": "-1"},
        {"verb": "snooze", "more": "1e9"},
        {"verb": "resolve", "reason": "x" * 2001},
        {"verb": "merge", "reason": "why"},
        {"verb": "merge", "into": "7"},
        {"verb": "merge", "into": "7", "reason": "why"},
        {"verb": "split", "fingerprint": "9" * 19, "reason": "why"},
        {"verb": "describe", "note": "a\x00b"},
    ],
)
def test_bad_input_is_a_sentence(operator, group, fields):
    answer = operator.post(f"/groups/{group.pk}/", form("") | fields)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert FailureGroup.objects.get().version == 1


def test_who_may_not_change_is_refused(viewer, stranger, group):
    assert viewer.post(f"/groups/{group.pk}/", form("resolve")).status_code == 403
    assert stranger.get(f"/groups/{group.pk}/").status_code == 403


def test_a_group_that_is_not_there_is_not_found(operator):
    assert operator.get("/groups/7/").status_code == 404
    assert operator.post("/groups/7/", form("resolve")).status_code == 404


def test_a_group_is_merged_into_another_and_split_again(operator, group, letter):
    letter(error_reason="Timeout: billing")
    other = FailureGroup.objects.exclude(pk=group.pk).get()
    asked = form("merge", into=str(group.pk), reason="one outage")
    assert operator.post(f"/groups/{other.pk}/", asked).status_code == 302
    page = operator.get(f"/groups/{other.pk}/").content.decode()
    assert "Merged into" in page
    assert f"merged this fingerprint into group {group.pk} on" in page
    letter(error_reason="Timeout: billing")
    assert DeadLetter.objects.latest("id").group_id == group.pk
    assert "one outage" in operator.get(f"/groups/{group.pk}/").content.decode()
    parted = form("split", fingerprint=str(other.pk), reason="two after all")
    assert operator.post(f"/groups/{group.pk}/", parted).status_code == 302
    letter(error_reason="Timeout: billing")
    assert DeadLetter.objects.latest("id").group_id == other.pk


class TestMemory:
    def operation(self, **columns):
        values = {"kind": "revive", "actor": "user:ana", "reason": "deploy 42", "scope": "filter"}
        more = {"cutoff_id": 0, "expected": 4, "selected": 4, "status": "completed"}
        return Operation.objects.create(request_key=uuid4(), **(values | more | columns))

    def test_what_past_operations_did_is_told_newest_first(self, viewer, group):
        revived = self.operation(done=4)
        bring_to("REVIVED", operation_id=revived.pk)
        first, second, third, _fourth = DeadLetter.objects.order_by("id")
        DeadLetter.objects.filter(pk__in=[first.pk, second.pk]).update(status="SUCCEEDED")
        DeadLetter.objects.filter(pk=third.pk).update(status="PENDING")
        OperationGroup.objects.create(operation=revived, group_id=group.pk, items=4, done=4)
        self.operation(kind="discard", group_id=group.pk, done=2)
        self.operation(kind="discard", group_id=group.pk + 1)
        discarded, told = past_actions.past_actions(group.pk)
        assert (discarded.operation.kind, discarded.done, discarded.success_percent) == ("discard", 2, None)
        assert (told.succeeded, told.failed_again, told.under_way, told.success_percent) == (2, 1, 1, 66)
        text = viewer.get(f"/groups/{group.pk}/").content.decode()
        assert "66&nbsp;% succeeded" in text
        assert "deploy 42" in text
        # beside a dead letter stands what healed, not what was done since
        text = viewer.get(f"/dead-letters/{first.pk}/").content.decode()
        card = text.partition("What worked last time")[2].partition("</section>")[0]
        assert "66&nbsp;% succeeded" in card
        assert "Discard" not in card

    def test_what_healed_nothing_is_not_said_to_have_worked(self, viewer, group):
        self.operation(kind="discard", group_id=group.pk, done=2)
        text = viewer.get(f"/dead-letters/{DeadLetter.objects.first().pk}/").content.decode()
        assert "What was done last time for this group" in text
        assert "What worked last time" not in text
