"""manage.py samples: shows, sets and erases; each change is audited and each refusal a sentence."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine.models import AuditEntry, SampledType, SuccessSample

pytestmark = pytest.mark.django_db


def samples(*words):
    output = StringIO()
    call_command("samples", *words, stdout=output)
    return output.getvalue()


def test_it_sets_shows_and_forgets_a_policy():
    said = samples("set", "order", "--one-in", "10", "--store", "raw", "--because", "a")
    assert said.startswith("One in 10, as it came, of order.")
    assert "one in 10, as it came" in samples("list")
    assert "Every other type: one in 200, masked." in samples()
    samples("set", "order", "--one-in", "usual", "--store", "usual", "--because", "as usual")
    assert not SampledType.objects.exists()
    assert list(AuditEntry.objects.values_list("action", flat=True)) == ["sampling changed"] * 2


def test_what_is_left_out_stays_as_it_was_said():
    samples("set", "secret", "--one-in", "0", "--because", "none of it")
    assert samples("set", "secret", "--store", "raw", "--because", "x").startswith("None is kept, of secret.")
    assert samples("set", "secret", "--one-in", "5", "--because", "x").startswith("One in 5, as it came")
    with pytest.raises(CommandError, match="Say --one-in, --store or both"):
        samples("set", "secret", "--because", "x")


def test_it_erases_what_is_named():
    for key in "12":
        SuccessSample.objects.create(event_type="order", source="shop", source_key=key, payload={})
    assert samples("erase", "--source", "shop", "--key", "1", "--because", "asked") == "1 samples erased.\n"
    assert SuccessSample.objects.get().source_key == "2"


def test_refusals_are_sentences():
    with pytest.raises(CommandError, match="Say why: samples set"):
        samples("set", "order", "--one-in", "1")
    with pytest.raises(CommandError, match="everything is never meant"):
        samples("erase", "--because", "asked")
    with pytest.raises(CommandError, match="not 2,000,000"):
        samples("set", "order", "--one-in", "2000000", "--because", "x")
