"""The client and the console's own API, end to end."""

import dlq
import pytest
from dlq.destinations import Away

from dlqconsole.engine.models import DeadLetter
from tests.accounts import person
from tests.contrib.api.conftest import token


@pytest.fixture
def address(live_server):
    return live_server.url.replace("http://", f"http://{token(person('shop'))}@")


def test_a_failure_comes_in_by_http_counts_once_and_is_closed_by_a_success(init, address, monkeypatch):
    init(address, release="1.4.2")
    destination = dlq._running[0]._destination
    send, lost = destination.send, []

    def lose_the_first_answer(reports):
        refused = send(reports)
        if not lost:
            lost.append(reports)
            raise Away("the answer was lost")
        return refused

    monkeypatch.setattr(destination, "send", lose_the_first_answer)
    with pytest.raises(ValueError, match="no"), dlq.guard("order.created", event={"at": (1, "é")}, key="7"):
        raise ValueError("no")
    assert dlq.flush(20)
    assert lost
    letter = DeadLetter.objects.get()
    assert (letter.source, letter.source_key, letter.occurrences) == ("shop", "7", 1)
    assert dlq.decode(letter.payload) == {"at": (1, "é")}
    assert letter.headers["dlq_release"] == "1.4.2"
    assert "ValueError: no" in letter.error_stacktrace

    dlq.recovered("shop", "7")
    assert dlq.flush(20)
    letter.refresh_from_db()
    assert letter.status == "SUCCEEDED"
