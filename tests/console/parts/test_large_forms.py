"""The edit form works up to its own limit; beyond, a sentence says what to do instead."""

import pytest

from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.dead_letters.excerpts import SHOWN
from dlqconsole.engine.models import DeadLetter, PayloadVersion

pytestmark = pytest.mark.django_db


def sent(person, letter_id, payload, **fields):
    form = {"step": "save", "version": editing.current(letter_id).version, "payload": payload, "reason": "r"}
    # as browsers send forms: what is no ASCII letter becomes three bytes for each of its own
    return person.post(
        f"/dead-letters/{letter_id}/edit/",
        "&".join(f"{name}={quoted(str(value))}" for name, value in (form | fields).items()),
        content_type="application/x-www-form-urlencoded",
    )


def quoted(text):
    return "".join(f"%{byte:02X}" for byte in text.encode())


def test_a_payload_as_long_as_the_limit_is_stored_however_it_is_written(operator, letter, settings):
    one = letter(payload='{"a": 1}')
    payload = '{"a": "' + "\u00e9" * ((settings.DLQ_MAX_PAYLOAD_BYTES - 9) // 2) + '"}'
    assert len(payload.encode()) == settings.DLQ_MAX_PAYLOAD_BYTES - 1
    assert sent(operator, one, payload).status_code == 302
    assert len(DeadLetter.objects.get().payload["a"]) > SHOWN


def test_one_byte_more_is_refused_in_a_sentence_that_keeps_the_text(operator, letter, settings):
    one = letter(payload='{"a": 1}')
    answer = sent(operator, one, '{"a": "' + "x" * settings.DLQ_MAX_PAYLOAD_BYTES + '"}')
    assert answer.status_code == 422
    assert "1,048,576" in answer.content.decode()
    assert "x" * 1000 in answer.content.decode()
    assert not PayloadVersion.objects.exists()


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
@pytest.mark.parametrize(
    "form", [{"payload": "x" * 4_200_000}, {"header_name": ["n"] * 1200}], ids=["long", "many fields"]
)
def test_a_form_beyond_what_is_read_is_a_sentence_and_changes_nothing(operator, letter, form, headers):
    one = letter(payload='{"a": 1}')
    body = "&".join(f"{n}={v}" for n, vs in form.items() for v in (vs if isinstance(vs, list) else [vs]))
    kind = "application/x-www-form-urlencoded"
    for address in (f"/dead-letters/{one}/edit/", "/dead-letters/operations/", "/operations/"):
        answer = operator.post(address, body, content_type=kind, headers=headers)
        assert answer.status_code == 413, address
        page = answer.content.decode()
        assert "manage.py deadletters edit" in page
        assert "nothing was changed" in page
    assert DeadLetter.objects.get().version == 1
