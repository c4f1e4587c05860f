"""The steps that load the demo's flights behind the console."""

import pytest

from tools.flights import StepFailed, once, run


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A data directory of our own."""
    monkeypatch.setenv("DLQ_DATA_DIR", str(tmp_path))
    (tmp_path / "log").mkdir()
    return tmp_path


def test_what_a_step_prints_is_shown_and_what_it_complains_of_is_logged(data, capfd):
    run("step", "-c", "import sys; print('half done'); print('hm', file=sys.stderr)")
    assert capfd.readouterr().out == "[flights] half done\n"
    assert (data / "log" / "flights-step.log").read_text() == "hm\n"


def test_a_failed_step_says_its_last_word_and_where_the_rest_is(data):
    with pytest.raises(StepFailed) as failed:
        run("step", "-c", "import sys; print('first'); sys.exit('disk full')")
    assert "ended with exit status 1: disk full" in str(failed.value)
    assert "flights-step.log" in str(failed.value)


def test_a_step_done_to_the_end_is_not_done_again(data, capfd):
    for _ in range(2):
        once("loaded", "-c", "print('loading')")
    assert capfd.readouterr().out.count("loading") == 1


def test_a_step_that_failed_is_tried_again(data):
    for _ in range(2):
        with pytest.raises(StepFailed):
            once("loaded", "-c", "raise SystemExit(1)")
