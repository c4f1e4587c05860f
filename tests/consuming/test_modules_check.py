"""`manage.py check` says which module of handlers or reports there is not, without importing any."""

import subprocess
import sys

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError


@pytest.mark.parametrize("name", ["DLQ_HANDLERS", "DLQ_REPORTS"])
@pytest.mark.parametrize("module", ["no.such", "nosuch", "examples.nosuch", "a b", "../x", "."])
def test_a_module_that_is_not_there(settings, name, module):
    setattr(settings, name, f"examples.flights, {module}")
    with pytest.raises(SystemCheckError) as caught:
        call_command("check", fail_level="WARNING")
    sentence = f"(dlqconsole.W001) {name} names {module!r}, and there is no module of that name."
    assert sentence in str(caught.value)
    assert str(caught.value).count("W001") == 1


@pytest.mark.django_db
def test_a_command_says_it_when_it_starts_and_goes_on(settings, capsys):
    settings.DLQ_HANDLERS = "nosuch"
    call_command("queues", skip_checks=False)
    printed = capsys.readouterr()
    assert "DLQ_HANDLERS names 'nosuch', and there is no module of that name." in printed.err
    assert printed.out


def test_a_start_looks_at_no_page():
    """Django's own checks import every address and the admin: those are for `manage.py check`."""
    start = [sys.executable, "-X", "importtime", "manage.py", "queues"]
    said = subprocess.run(start, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60).stderr
    assert "dlqconsole.engine.queues" in said
    assert "dlqconsole.console.urls" not in said
    assert "dlqconsole.celery" not in said


def test_those_that_are_there_are_not_imported(settings, capsys):
    settings.DLQ_HANDLERS = "this, examples.flights.handlers"
    sys.modules.pop("this", None)
    call_command("check", fail_level="WARNING")
    assert "this" not in sys.modules


def test_a_package_that_ends_the_program_does_not_end_the_check(settings, tmp_path, monkeypatch):
    (tmp_path / "ending").mkdir()
    (tmp_path / "ending" / "__init__.py").write_text("raise SystemExit('bye')")
    monkeypatch.syspath_prepend(tmp_path)
    settings.DLQ_HANDLERS = "ending.handlers"
    call_command("check", fail_level="WARNING")
