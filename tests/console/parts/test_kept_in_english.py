"""What a person does in Chinese is kept in English: reasons, scopes, the audit log and standing rules."""

import json
import re
from uuid import uuid4

import pytest
from django.utils import translation

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations import kinds
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests.scope import ItemsOf, Matching, Rows, kept_words
from dlqconsole.retries.models import RetryPolicy
from tests.contrib.playbooks.pages.conftest import FORM
from tests.operations.conftest import ask, work
from tests.plain_sql import value

pytestmark = pytest.mark.django_db

CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
ZH = {"Accept-Language": "zh-Hans"}
TABLES = (Operation, AuditEntry, Playbook, RetryPolicy)


@pytest.fixture(autouse=True)
def language_of_before():
    """A request leaves its language behind, until the next begins."""
    yield
    translation.deactivate()


def stored() -> str:
    """All that stands in these tables, and in the items of operations."""
    rows = [list(model.objects.values()) for model in TABLES]
    return json.dumps(rows, default=str, ensure_ascii=False) + value(
        "SELECT coalesce(json_agg(i), '[]')::text FROM operation_items i"
    )


def said(answer) -> str:
    return answer.content.decode()


def test_an_export_of_the_list_gives_its_reason_in_english(operator, letter):
    letter()
    asked = {"scope": "all", "filter": "type=order.created", "format": "csv", "request_key": str(uuid4())}
    answer = operator.post("/dead-letters/export", asked, headers=ZH, follow=True)
    assert CHINESE.search(said(answer))
    operation = Operation.objects.get()
    assert operation.reason == "export of type is order.created"
    assert operation.filter_words == "type is order.created"
    assert not CHINESE.search(stored())


def test_an_undo_gives_its_reason_in_english(operator, letter):
    operation = ask("discard", ids=[letter()])
    work()
    answer = operator.post(f"/operations/{operation.pk}/undo/", {"request_key": str(uuid4())}, headers=ZH)
    assert answer.status_code == 302
    undo = Operation.objects.get(kind="undo")
    assert undo.reason == f"Takes back operation {operation.pk}."
    assert undo.filter_words == f"the dead letters of operation {operation.pk} (discard) that went well"
    work()
    assert not CHINESE.search(stored())


def test_the_words_of_each_scope_are_kept_in_english(letter):
    operation = ask("discard", ids=[letter()])
    scopes = [
        Rows.of([1]),
        Rows.of([1, 2]),
        Matching(DeadLetterFilter()),
        Matching(DeadLetterFilter.parse({"category": "BUSINESS", "q": "error:Late"}), ("PENDING",), 9),
        *(ItemsOf(operation.pk, outcome) for outcome in ("done", "failed", "skipped", "gone")),
    ]
    with translation.override("zh-hans"):
        assert [scope for scope in scopes if scope.words() and not CHINESE.search(scope.words()[0])] == []
        kept = [kept_words(scope) for scope in scopes]
    assert [words for words in kept if CHINESE.search(words)] == []
    assert kept[2] == "all dead letters"


def test_why_an_item_is_skipped_is_kept_in_english(operator, letter):
    """The worker has no language; the states and verbs that its statements write have none either."""
    with translation.override("zh-hans"):
        assert not CHINESE.search(json.dumps([kinds.did(), *(kind.why_not() for kind in kinds.every())]))
        operation = ask("discard", ids=[letter(), letter(status="SUCCEEDED")])
        work()
    assert Operation.objects.get().pk == operation.pk
    assert not CHINESE.search(stored())


def test_a_playbook_is_kept_in_english(operator, letter):
    letter()
    answer = operator.post("/playbooks/new", FORM, headers=ZH, follow=True)
    assert CHINESE.search(said(answer))
    entry = AuditEntry.objects.get(target=f"playbook:{Playbook.objects.get().pk}")
    assert entry.detail["when"] == "when type:order.created answers again"
    assert entry.detail["tells the owner"] in ("yes", "no")
    assert not CHINESE.search(stored())


def test_a_pause_of_the_schedule_is_kept_in_english(operator, letter):
    letter()
    asked = {"event_type": "", "group": "", "until": "8h", "reason": "billing moves"}
    answer = operator.post("/schedules/pause/", asked, headers=ZH, follow=True)
    assert CHINESE.search(said(answer))
    entry = AuditEntry.objects.get(action="pause")
    assert entry.detail["for"] == "all dead letters"
    assert not CHINESE.search(stored())


def test_a_refusal_and_a_typed_mistake_are_said_in_chinese(viewer, operator, letter):
    letter()
    refused = viewer.post("/operations/", {"kind": "discard", "scope": "all"}, headers=ZH)
    assert "只有操作员可以更改这里" in said(refused)
    mistake = operator.get("/dead-letters/?q=status:PENDNG", headers=ZH)
    assert "是否想写 PENDING" in said(mistake)
    late = operator.post("/schedules/pause/", {"until": "soon", "reason": ""}, headers=ZH)
    assert "不是时间" in said(late)
    assert "请写明原因" in said(late)
