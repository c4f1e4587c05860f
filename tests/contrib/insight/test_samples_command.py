"""manage.py samples: shows, sets and erases; each change is audited and each refusal a sentence."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.contrib.insight.models import SampledType, SuccessSample
from dlqconsole.engine.models import AuditEntry
from dlqconsole.people.models import Scope
from tests.accounts import person, token_of

pytestmark = pytest.mark.django_db


def samples(*words):
    output = StringIO()
    call_command("samples", *words, stdout=output)
    return output.getvalue()


def test_it_sets_shows_and_forgets_a_policy():
    said = samples("set", "order", "--one-in", "10", "--masked", "no", "--because", "a")
    assert said.startswith("One in 10, as it came, of order.")
    assert "one in 10, as it came" in samples("list")
    assert "Every other type: one in 200, masked." in samples()
    samples("set", "order", "--one-in", "usual", "--masked", "usual", "--because", "as usual")
    assert not SampledType.objects.exists()
    assert list(AuditEntry.objects.values_list("action", flat=True)) == ["sampling changed"] * 2


def test_what_is_left_out_stays_as_it_was_said():
    samples("set", "secret", "--one-in", "0", "--because", "none of it")
    assert samples("set", "secret", "--masked", "no", "--because", "x").startswith("None is kept, of secret.")
    assert samples("set", "secret", "--one-in", "5", "--because", "x").startswith("One in 5, as it came")
    with pytest.raises(CommandError, match="Say --one-in, --masked or both"):
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


def of_two_types():
    for name in ("order", "bill"):
        SuccessSample.objects.create(event_type=name, source="shop", source_key=name, payload={})


def limited(name, role):
    """A token of somebody of that role who is limited to an event type, and to a queue."""
    actor = person(name, role)
    for queue, event_type in (("*", "order"), ("bills", "*")):
        Scope.objects.create(user_id=actor.removeprefix("user:"), queue=queue, event_type=event_type)
    return token_of(actor)


def test_the_token_of_a_limited_person_shows_the_types_that_they_see(settings, tmp_path):
    of_two_types()
    samples("set", "secret", "--one-in", "7", "--because", "x")
    settings.DLQ_TOKEN = limited("vera", "viewer")
    for words in ([], ["list"]):
        lines = samples(*words).splitlines()
        assert [line.split()[:2] for line in lines[1:-1]] == [["order", "1"]]
    file = tmp_path / "token"
    file.write_text(token_of(person("ann")))
    file.chmod(0o600)
    named = ["--token-file", str(file)]
    for words in (named, [*named, "list"], ["list", *named]):
        assert [line.split()[0] for line in samples(*words).splitlines()[1:-1]] == ["bill", "order", "secret"]


@pytest.mark.parametrize("words", [[], ["list"]])
def test_a_token_that_proves_nothing_ends_it(settings, words):
    settings.DLQ_TOKEN = "dlq_nonsense"
    with pytest.raises(CommandError, match="This token is not known here"):
        samples(*words)


def test_a_limited_administrator_changes_the_types_that_they_see(settings):
    of_two_types()
    settings.DLQ_TOKEN = limited("lara", "admin")
    for words in (
        ["set", "bill", "--one-in", "0"],
        ["erase", "--type", "bill"],
        ["erase", "--source", "shop"],
    ):
        with pytest.raises(CommandError, match=r"Your scope is limited \(order, queue bills\)"):
            samples(*words, "--because", "x")
    samples("set", "order", "--one-in", "0", "--because", "x")
    assert samples("erase", "--type", "order", "--source", "shop", "--because", "x") == "1 samples erased.\n"
    assert SuccessSample.objects.get().event_type == "bill"
    assert SampledType.objects.get().event_type == "order"
