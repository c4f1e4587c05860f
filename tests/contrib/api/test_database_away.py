"""Where the database does not answer, a program is told when to come again."""

from django.db import connection
from django.db.utils import OperationalError

from tests.contrib.api.conftest import problem


def test_it_is_told_to_send_it_again(reporter, monkeypatch):
    def refuse(*_arguments):
        raise OperationalError("connection to 10.0.0.1 failed")

    with monkeypatch.context() as patched:
        patched.setattr(connection, "cursor", refuse)
        answer = reporter.post()
    assert "Send it again in a moment" in problem(answer, 503)
    assert answer["Retry-After"] == "5"
    assert "10.0.0.1" not in answer.content.decode()
