"""Personal data is masked wherever it would be seen, until one person reveals one thing and says why."""

import html
import json
import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from dlqconsole.console.masking import revelations
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.core import messages
from dlqconsole.engine.gate import masker
from dlqconsole.engine.models import AuditEntry, DeadLetter
from tests.accounts import actor_of

MAIL = "joe.smith@example.org"
PAYLOAD = f'{{"n": 1234567890123456789, "price": 1.10, "customer": {{"email": "{MAIL}"}}}}'


@pytest.fixture
def one(letter):
    return letter(
        payload=PAYLOAD, headers=f'{{"reply_to": "{MAIL}"}}', error_reason=f"no user {MAIL}",
        error_stacktrace=f"java.lang.Error: no user {MAIL}\n\tat a.B.c(B.java:1)", status="EXHAUSTED",
    )  # fmt: skip


def text_of(answer):
    return html.unescape(b"".join(answer).decode())


def reveal(client, number, reason="the customer asks"):
    return client.post(f"/dead-letters/{number}/revelations/", {"reason": reason})


@pytest.mark.parametrize("page", ["/dead-letters/", "/dead-letters/{}/", "/dead-letters/{}/raw"])
def test_everybody_sees_it_masked(operator, viewer, one, page):
    for client in (operator, viewer):
        answer = client.get(page.format(one))
        assert MAIL not in text_of(answer)
        assert "‹email›" in text_of(answer)


def test_numbers_stay_as_they_are(viewer, one):
    page = text_of(viewer.get(f"/dead-letters/{one}/"))
    assert '"n": 1234567890123456789' in page
    assert '"price": 1.10' in page


def test_an_operator_reveals_one_for_ten_minutes_and_the_audit_says_why(operator, one, letter):
    other = letter(payload=PAYLOAD)
    assert reveal(operator, one).status_code == 302
    answer = operator.get(f"/dead-letters/{one}/")
    assert text_of(answer).count(MAIL) >= 4
    assert "to you alone" in text_of(answer)
    assert answer["Cache-Control"] == "no-store"
    assert MAIL in text_of(operator.get(f"/dead-letters/{one}/raw"))
    assert MAIL not in text_of(operator.get(f"/dead-letters/{other}/"))
    entry = AuditEntry.objects.get(action="reveal")
    assert (entry.actor, entry.target, entry.reason) == (
        actor_of("operator"),
        f"dead_letter:{one}",
        "the customer asks",
    )


def test_ten_minutes_later_it_is_masked_again(operator, one, monkeypatch):
    reveal(operator, one)
    monkeypatch.setattr(revelations, "_VALID_FOR", timedelta(0))
    assert MAIL not in text_of(operator.get(f"/dead-letters/{one}/"))


def test_another_session_does_not_see_it(operator, viewer, one):
    reveal(operator, one)
    assert MAIL not in text_of(viewer.get(f"/dead-letters/{one}/"))
    session = viewer.session
    session["revelations"] = operator.session["revelations"]
    session.save()
    assert MAIL not in text_of(viewer.get(f"/dead-letters/{one}/"))


def test_a_viewer_is_told_why_not_and_refused(viewer, one):
    assert "Reveal: Viewers may look but not change" in text_of(viewer.get(f"/dead-letters/{one}/")).replace(
        '<span class="visually-hidden">', ""
    )
    assert reveal(viewer, one).status_code == 403
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2001, "a\0b"])
def test_without_a_reason_nothing_is_revealed(operator, one, reason):
    assert reveal(operator, one, reason).status_code == 422
    assert MAIL not in text_of(operator.get(f"/dead-letters/{one}/"))
    assert not AuditEntry.objects.exists()


def test_a_refused_reason_comes_back_in_a_page_with_its_form(operator, one):
    """A browser without scripts goes on from there."""
    number = messages.send("orders", PAYLOAD)
    typed = "why <b>" + "x" * 3_000
    for page, title in (
        (f"/dead-letters/{one}/", f"Reveal dead letter {one}"),
        (f"/queues/orders/messages/{number}/", f"Reveal message {number}"),
    ):
        answer = operator.post(page + "revelations/", {"reason": typed})
        assert answer.status_code == 422
        text = text_of(answer)
        assert f'<h1 id="reveal-title">{title}</h1>' in text
        assert typed in text
        assert "The reason has 3,007 characters; the limit is 2,000." in text
        assert f'href="{page}"' in text
        assert MAIL not in text
        again = operator.post(answer.request["PATH_INFO"], {"reason": "the customer asks"})
        assert again["Location"] == page
    htmx = operator.post(f"/dead-letters/{one}/revelations/", {"reason": ""}, headers={"HX-Request": "true"})
    assert "<form" not in text_of(htmx)


def test_what_does_not_exist_cannot_be_revealed(operator):
    assert reveal(operator, 4711).status_code == 404


def test_opening_the_form_shows_marks_until_it_is_revealed(operator, one):
    assert MAIL not in text_of(operator.get(f"/dead-letters/{one}/edit/"))
    assert not AuditEntry.objects.filter(target=f"dead_letter:{one}").exists()
    reveal(operator, one)
    assert MAIL in text_of(operator.get(f"/dead-letters/{one}/edit/"))


def marked(text):
    """The first mark of a page: ``‹email 3fa9c1d2›``."""
    return re.search("‹email [0-9a-f]{8}›", text)[0]


def test_an_edit_keeps_what_its_marks_stand_for_and_nobody_saw_it(operator, one):
    page = f"/dead-letters/{one}/edit/"
    form = operator.get(page).context["form"]
    payload = form["payload"].value().replace("1.10", "2.20")
    rows = form["headers"].value()
    typed = {
        "version": form["version"].value(), "payload": payload, "reason": "the price",
        "header_name": [name for name, _value in rows], "header_value": [value for _name, value in rows],
    }  # fmt: skip
    checked = text_of(operator.post(page, typed | {"step": "check"}))
    assert MAIL not in checked
    assert "2.20" in checked
    assert operator.post(page, typed | {"step": "save"}).status_code == 302
    row = DeadLetter.objects.get(pk=one)
    assert row.payload == json.loads(PAYLOAD.replace("1.10", "2.20"))
    assert row.headers == {"reply_to": MAIL}


def test_a_mark_of_something_else_is_refused_and_a_secret_stays_under_its_key(operator, one, letter):
    page = f"/dead-letters/{one}/edit/"
    version = DeadLetter.objects.get(pk=one).version
    strange = {"version": version, "payload": '{"n": "‹email 00000000›"}', "step": "check"}
    answer = operator.post(page, strange)
    assert answer.status_code == 422
    assert "stands for nothing here" in text_of(answer)
    secret = letter(payload='{"password": "correct-horse", "n": 1}', status="EXHAUSTED")
    page = f"/dead-letters/{secret}/edit/"
    form = operator.get(page).context["form"]
    mark = re.search("‹password [0-9a-f]{8}›", form["payload"].value())[0]
    moved = {"version": form["version"].value(), "payload": f'{{"note": "{mark}", "n": 1}}', "step": "check"}
    answer = operator.post(page, moved)
    assert answer.status_code == 422
    assert "a key that is not masked" in text_of(answer)


@pytest.mark.parametrize(
    ("stored", "raw", "before", "after"),
    [
        ("SSN {} bad", "536-22-8701", "id_", "_x"),
        ("card {} declined", "4111 1111 1111 1111", "x", "y"),
        ("login password={} failed", "Sekret01Sekret", "the thing ", ""),
        ("aws {} leaked", "AKIAIOSFODNN7EXAMPLE", "X", "X"),
        ("?access_token={} x", "s3cr3t-0a1b2c3d4e5f", "zz ", ""),
    ],
)
def test_what_is_put_around_a_mark_brings_nothing_out(operator, letter, stored, raw, before, after):
    number = letter(payload=json.dumps({"n": stored.format(raw)}), status="EXHAUSTED")
    page = f"/dead-letters/{number}/edit/"
    form = operator.get(page).context["form"]
    payload = form["payload"].value()
    mark = re.search("‹[a-z ]+ [0-9a-f]{8}›", payload)[0]
    typed = {"version": form["version"].value(), "step": "check", "reason": "why not"}
    for step in ("check", "save"):
        moved = json.dumps({"n": f"{before}{mark}{after}"}, ensure_ascii=False)
        answer = operator.post(page, typed | {"payload": moved, "step": step})
        assert raw not in text_of(answer)
        assert answer.status_code == 422
        assert "what is around it would let everybody read" in text_of(answer)
    left = payload.replace('"n":', '"more": 1, "n":')
    fine = operator.post(page, typed | {"payload": left})
    assert fine.status_code == 200
    assert raw not in text_of(fine)


def test_a_recipe_previews_marks_until_somebody_says_why_and_moves_no_secret(operator, letter):
    number = letter(payload=f'{{"to": "{MAIL}", "password": "correct-horse", "n": 1}}', status="EXHAUSTED")
    asked = {"scope": "rows", "ids": number, "recipe": '[{"op": "replace", "path": "/n", "value": 2}]'}
    page = text_of(operator.post(reverse("dlq:recipes"), asked))
    assert MAIL not in page
    assert "correct-horse" not in page
    assert marked(page)
    assert not AuditEntry.objects.exists()
    refused = text_of(operator.post(reverse("dlq:recipes"), asked | {"reveal": "1", "because": ""}))
    assert MAIL not in refused
    assert "Say why you need to see them" in refused
    shown = text_of(
        operator.post(reverse("dlq:recipes"), asked | {"reveal": "1", "because": "the customer asks"})
    )
    assert MAIL in shown
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target, entry.reason) == (
        "reveal",
        f"dead_letter:{number}",
        "the customer asks",
    )
    for step in ("copy", "move"):
        recipe = json.dumps([{"op": step, "from": "/password", "path": "/note"}])
        page = operator.post(reverse("dlq:recipes"), asked | {"recipe": recipe})
        assert page.context["preview"].would_change == 0
        assert "would bring what a masked key holds" in text_of(page)


def test_bytes_that_hold_an_address_are_masked_in_hex_too(viewer, letter):
    for raw in (f"to {MAIL} \0".encode(), f"to {MAIL}".encode("utf-16-le"), b"\xff to " + MAIL.encode()):
        answer = viewer.get(f"/dead-letters/{letter(payload_raw=raw)}/")
        assert MAIL not in text_of(answer)
        assert raw[:16].hex(" ") not in text_of(answer)


def test_a_message_is_masked_until_it_is_revealed(operator, viewer):
    number = messages.send("orders", PAYLOAD)
    page = f"/queues/orders/messages/{number}/"
    for address in (page, page + "raw", "/queues/orders/messages/"):
        assert MAIL not in text_of(viewer.get(address))
    assert operator.post(page + "revelations/", {"reason": "asked"}).status_code == 302
    assert MAIL in text_of(operator.get(page))
    assert viewer.post(page + "revelations/", {"reason": "asked"}).status_code == 403


def test_an_installation_may_switch_it_off(viewer, one, settings):
    settings.DLQ_MASKING = False
    page = text_of(viewer.get(f"/dead-letters/{one}/"))
    assert MAIL in page
    assert "Reveal" not in page


def test_the_command_masks_unless_it_is_told_why_not(one):
    out = StringIO()
    call_command("deadletters", "show", str(one), stdout=out)
    assert MAIL not in out.getvalue()
    assert json.loads(out.getvalue())["payload"]["customer"]["email"] == "‹email›"
    with pytest.raises(CommandError, match="Say why"):
        call_command("deadletters", "show", str(one), "--unmasked", stdout=out)
    call_command("deadletters", "show", str(one), "--unmasked", "--because", "asked", stdout=out)
    assert MAIL in out.getvalue()
    assert AuditEntry.objects.get().reason == "asked"


@pytest.mark.parametrize("cut", range(1, len(PAYLOAD)))
def test_a_payload_cut_anywhere_is_masked(cut):
    shown = ShownTexts(masker()).beginning(PAYLOAD[:cut])
    assert "joe.smith" not in shown
    assert shown.startswith(PAYLOAD[: min(cut, 40)])


def test_the_discarded_tab_says_how_long_each_is_kept(viewer, letter, settings):
    settings.DLQ_RETENTION_DAYS = 30
    letter(status="DISCARDED"), letter(status="EXHAUSTED")
    assert "deleted for ever in" in text_of(viewer.get("/dead-letters/?status=DISCARDED"))
    assert "deleted for ever in" not in text_of(viewer.get("/dead-letters/?status=EXHAUSTED"))
