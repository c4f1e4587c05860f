"""What had failed and succeeded after all is closed by its source and key."""

from dlqconsole.engine.models import Attempt, DeadLetter
from tests.accounts import actor_of
from tests.contrib.api.conftest import problem


def test_a_reported_failure_is_closed_once(reporter):
    letter = reporter.post().json()["id"]
    first, again = reporter.recover(), reporter.recover()
    assert first.json() == {
        "recovered": True,
        "id": letter,
        "url": f"http://testserver/dead-letters/{letter}/",
    }
    assert (again.status_code, again.json()["recovered"]) == (200, False)
    assert DeadLetter.objects.get().status == "SUCCEEDED"
    assert actor_of("shop") in Attempt.objects.get(outcome="succeeded").worker


def test_what_fails_again_is_open_again(reporter):
    reporter.post()
    reporter.recover()
    reporter.post()
    assert DeadLetter.objects.get().status == "PENDING"


def test_what_was_never_reported_is_not_there(reporter):
    assert "There is no dead letter of this source and key" in problem(reporter.recover(key="none"), 404)
