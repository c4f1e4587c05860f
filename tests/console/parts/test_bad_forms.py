"""The answer to any form is a sentence: nothing breaks, and nothing happens by mistake."""

from uuid import uuid4

import pytest

from dlqconsole.console.queues.forms import ConfirmForm
from dlqconsole.engine.models import AuditEntry, DeadLetter, Queue
from dlqconsole.operations import kinds
from dlqconsole.operations.models import Operation
from tests.console.parts.direct_forms import QUEUE_ACTIONS, changed_policy, new_queue, posted, submitted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]

CONFIRM, ASK = "/dead-letters/operations/", "/operations/"
MEGABYTE = "x" * 1_000_000
ANSWERS = (200, 302, 400, 404, 409, 413, 422)
JUNK = [
    "", " ", "\x00", "a\x00b", "\u202e", "\U0001f9ea", "<script>alert(1)</script>", "' OR 1=1--", "{}", "[]",
    "-1", "0", "1e3", "NaN", "1.5", "9" * 30, str(2**63), "\uff11\uff12", "null", "undefined", "../../etc",
    "x" * 3000,
]  # fmt: skip

SENT = ["", "a\x00b", "9" * 30]


def form(letter_id: int, **fields: object) -> dict:
    sound = {"kind": "revive", "reason": "fixed", "request_key": uuid4(), "expected": 1, "ids": [letter_id]}
    return sound | fields


@pytest.mark.parametrize(
    "field", ["kind", "scope", "filter", "ids", "expected", "expected_exact", "typed_count", "request_key"]
)
def test_junk_in_a_field_is_an_answer_and_touches_no_dead_letter(operator, letter, field):
    """The forms are given all of it; a few come as a person's browser would send them."""
    one = letter()
    scope = {"scope": "all"} if field == "filter" else {}
    for junk in JUNK:
        for name in ("revive confirmed", "revive asked"):
            given = submitted(name, form(one, **scope, **{field: junk}), {})
            assert all("\x00" not in sentence for sentence in given.sentences), (name, junk)
    for junk in SENT:
        for address in (CONFIRM, ASK):
            answer = operator.post(address, form(one, **scope, **{field: junk}))
            assert answer.status_code in ANSWERS, (address, junk)
    assert DeadLetter.objects.get().status == "PENDING"


@pytest.mark.parametrize("field", ["kind", "scope", "ids", "request_key"])
def test_a_missing_field_is_an_answer(operator, letter, field):
    sent = form(letter())
    sent.pop(field, None)
    for address in (CONFIRM, ASK):
        assert operator.post(address, sent).status_code in ANSWERS
    assert operator.post(ASK, {}).status_code in ANSWERS


@pytest.mark.parametrize("kind", [*kinds.names(), "REVIVE", "destroy", "revive,discard"])
def test_every_kind_and_none_is_an_answer_in_both_scopes(operator, letter, kind):
    one = letter()
    for scope in ({}, {"scope": "all", "filter": "type=order.created"}, {"scope": "items"}):
        for address in (CONFIRM, ASK):
            assert operator.post(address, form(one, kind=kind, **scope)).status_code in ANSWERS


@pytest.mark.parametrize("ids", [[1, 1, 1], list(range(1, 1001)), [2**63 - 1], [0]])
def test_ids_that_are_not_there_are_counted_not_feared(operator, ids):
    answer = operator.post(CONFIRM, {"kind": "discard", "ids": ids})
    assert answer.status_code == 200
    assert answer.context["preview"]["eligible"] == 0
    assert answer.context["preview"]["not_eligible_count"] == len(set(ids))


@pytest.mark.parametrize("wrong", [MEGABYTE, "a\x00b", "\x00", "\r\n\t "])
def test_a_reason_that_cannot_be_kept_is_a_sentence_that_keeps_the_form(operator, letter, wrong):
    answer = operator.post(ASK, form(letter(), reason=wrong))
    assert answer.status_code == 422
    assert answer.context["errors"]
    assert len(answer.content) < 100_000
    assert not Operation.objects.exists()


@pytest.mark.parametrize(
    "reason", ["<img src=x onerror=alert(1)>", "\u202etxt", "{{ 7 }}", "\U0001f9ea" * 2000]
)
def test_a_strange_reason_is_kept_and_shown_as_text(operator, letter, reason):
    receipt = operator.post(ASK, form(letter(), reason=reason))["Location"]
    assert Operation.objects.get().reason == reason
    for address in (receipt, "/operations/", "/audit/"):
        answer = operator.get(address)
        assert answer.status_code == 200
        assert "<img src=x" not in answer.content.decode()


def test_a_stale_form_acts_on_what_is_left_of_its_rows(operator, letter):
    done, gone = letter(status="SUCCEEDED"), letter()
    DeadLetter.objects.filter(pk=gone).delete()
    answer = operator.post(CONFIRM, {"kind": "revive", "ids": [done, gone]})
    reasons = {row["reason"] for row in answer.context["preview"]["not_eligible"]}
    assert reasons == {"SUCCEEDED: has already SUCCEEDED", "no longer exists"}


HTMX = ["HX-Request", "HX-Target", "HX-Current-URL", "HX-Trigger", "HX-Boosted"]


def test_headers_of_htmx_are_believed_in_nothing(stranger, operator, letter):
    """Each alone on one page or another, and all of them at once on each."""
    pages = ("/", "/dead-letters/", f"/dead-letters/{letter()}/", "/queues/")
    for place, junk in enumerate(("true", "\\x00", "http://evil.example/<script>", "x" * 5000, "%ff")):
        alone = [(pages[(place + n) % len(pages)], {header: junk}) for n, header in enumerate(HTMX)]
        for address, given in [*alone, *((page, dict.fromkeys(HTMX, junk)) for page in pages)]:
            assert stranger.get(address, headers=given).status_code == 403, given
            answer = operator.get(address, headers=given)
            assert answer.status_code == 200, given
            assert "evil.example" not in answer.content.decode(), given


QUEUE_FIELDS = [
    "max_retries", "lease_seconds", "backoff_base_seconds", "backoff_factor", "backoff_cap_seconds",
    "backoff_jitter", "retention", "archive_days", "notify", "rate_limit", "age_limit_seconds",
    "fifo_groups", "on_dead_letter",
    "unlogged", "name", "reason", "shorten_archived", "counted_until", "typed_count",
]  # fmt: skip


@pytest.mark.parametrize("field", QUEUE_FIELDS)
def test_junk_in_a_queues_policy_is_a_sentence(operator, field):
    Queue.objects.create(name="orders")
    before = Queue.objects.values().get(name="orders")
    for junk in [*JUNK, "inf", "1e999", "-0.5", MEGABYTE]:
        sound = {"name": f"made-{len(junk)}", "reason": "a test"}
        for form in (new_queue(sound | {field: junk}), changed_policy({"reason": "a test", field: junk})):
            assert all("\x00" not in sentence for sentence in form.sentences), junk
            assert field not in form.fields or len(form[field].as_field_group()) < 25_000
    junk = ("a\x00b", "1e999", MEGABYTE)[QUEUE_FIELDS.index(field) % 3]
    sound = {"name": f"made-{len(junk)}", "reason": "a test"}
    made = operator.post("/queues/new", sound | {field: junk})
    changed = operator.post("/queues/orders/policy/", {"reason": "a test", field: junk})
    for answer in (made, changed):
        assert answer.status_code in (302, 422), junk
        assert len(answer.content) < 200_000
    after = Queue.objects.values().get(name="orders")
    assert after.keys() == before.keys()
    assert operator.get("/queues/", follow=True).status_code == 200


@pytest.mark.parametrize("action", QUEUE_ACTIONS)
def test_junk_in_what_confirms_an_action_on_a_queue_is_a_sentence(admin_user_client, action):
    Queue.objects.create(name="orders")
    for field in ("reason", "name"):
        for junk in [*JUNK, MEGABYTE]:
            form = ConfirmForm(posted({"reason": "", field: junk}))
            assert form.is_valid() == (field == "reason" and not form.sentences)
            assert all(len(one.as_field_group()) < 25_000 for one in form)
        for junk in ("a\x00b", MEGABYTE):
            answer = admin_user_client.post(f"/queues/orders/{action}/", {"reason": "", field: junk})
            assert answer.status_code in (302, 404, 422), (field, junk)


def test_other_forms_answer_junk_too(admin_user_client, client, settings):
    # a good hash takes long on purpose, and is not what is tested here
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # of these three only the login reads what is sent, and only of who has not signed in
    requests = [(client, "/login/", junk) for junk in JUNK]
    for address in ("/login/", "/operations/1/cancellation/", "/logout/"):
        requests += [(person, address, junk) for person in (client, admin_user_client) for junk in SENT]
    for person, address, junk in requests:
        sent = {"username": junk, "password": junk, "next": junk}
        assert person.post(address, sent).status_code in (*ANSWERS, 403), (address, junk)
    assert not AuditEntry.objects.filter(action="cancel").exists()
