"""The filter by what a rehearsal said: counts, and sentences for what was typed wrongly."""

import pytest

from dlqconsole.contrib.rehearsals.models import Prediction
from dlqconsole.operations.models import Operation, OperationItem
from tests.command_line.test_asked_wrongly import over
from tests.console.parts.test_bad_command_lines import USAGE, WHY, ended

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]


@pytest.fixture
def rehearsal(letter):
    """One that met AirportUnknown on the only dead letter."""
    done = over("rehearse")
    about = {"operation": done, "dead_letter_id": letter()}
    OperationItem.objects.create(**about, status="failed")
    Prediction.objects.create(**about, would="fail", error_class="AirportUnknown", payload_version=0)
    return done.pk


@pytest.mark.parametrize("value", ["{n}", "{n}:fail", "{n}:succeed", "{n}:AirportUnknown"])
def test_what_a_rehearsal_has_said_is_counted(rehearsal, capsys, value):
    assert ended("deadletters", "count", f"--rehearsed={value.format(n=rehearsal)}")[0] == 0
    assert capsys.readouterr().out == ("0\n" if value.endswith("succeed") else "1\n")


def test_a_rehearsal_that_never_was_is_a_sentence_and_no_zero(rehearsal, viewer):
    status, sentence = ended("deadletters", "count", "--rehearsed", "999999")
    assert status == USAGE
    assert sentence.startswith("rehearsed names a rehearsal that is not here: 999999")
    status, sentence = ended("deadletters", "count", "--rehearsed", f"{rehearsal}:foo")
    assert status == USAGE
    assert "an error class that rehearsal" in sentence
    page = viewer.get("/dead-letters/?rehearsed=999999")
    assert page.status_code == 400
    assert "rehearsed names a rehearsal that is not here" in page.content.decode()


def test_an_operation_by_a_rehearsal_that_is_gone_still_has_its_page(rehearsal, viewer):
    status, said = ended("deadletters", "discard", "--rehearsed", str(rehearsal), *WHY)
    assert (status, said) == (0, "")
    Prediction.objects.all().delete()
    asked = Operation.objects.get(kind="discard")
    assert viewer.get(f"/operations/{asked.pk}/").status_code == 200
