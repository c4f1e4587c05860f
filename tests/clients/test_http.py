"""By HTTP: what the console does not take now is kept, what it refuses is dropped, and both are said."""

import dlq
import pytest

from tests.waiting import eventually


@pytest.fixture
def report(init, console):
    """``report("a", "b")`` reports failures with these keys; they are sent when ``may_answer`` is set."""
    init(console.url)

    def failures(*keys):
        console.may_answer.clear()
        for key in keys:
            dlq.report(ValueError("no"), {"id": key}, type="order.created", key=key)

    return failures


@pytest.fixture
def batch(report, console):
    """``batch(answers)`` sends a failure alone, then three in one request, which is answered by these."""

    def send(*answers):
        console.answers += [(201, {}, []), *answers]
        report("first")
        assert console.asked.wait(10)
        report("1", "2", "3")
        console.may_answer.set()
        assert dlq.flush(10)

    return send


def test_a_batch_says_who_asks_and_what_failed(report, console):
    report("1")
    console.may_answer.set()
    assert dlq.flush(10)
    path, headers, [failure] = console.requests[0]
    assert path == "/api/v1/failures"
    assert headers["Authorization"] == "Bearer dlq_token"
    assert headers["Content-Type"] == "application/json"
    assert failure["error"].pop("report")
    assert failure["error"].pop("headers").keys() == {"dlq_host", "dlq_failed_at"}
    assert failure["error"].pop("stacktrace") == "ValueError: no\n"
    error = {"type": "ValueError", "message": "no", "causes": []}
    assert failure == {
        "id": "1", "source": "shop", "type": "order.created", "data": {"id": "1"}, "error": error,
    }  # fmt: skip


def test_what_waits_goes_in_one_request(report, console):
    report(*map(str, range(150)))
    console.may_answer.set()
    assert dlq.flush(10)
    assert console.keys == list(map(str, range(150)))
    assert max(len(body) for _, _, body in console.requests) == 100


@pytest.mark.parametrize("status", [429, 503])
def test_who_is_told_when_to_come_again_waits_so_long(report, console, status):
    console.answers.append((status, {"Retry-After": "1"}, None))
    report("1")
    console.may_answer.set()
    assert not dlq.flush(0.3), "nobody is in such a hurry"
    assert dlq.flush(10)
    assert console.keys == ["1"]


@pytest.mark.parametrize("status", [401, 403, 404, 500, 502, 302])
def test_what_may_change_is_kept_with_a_log_line(report, console, status, caplog):
    console.answers += [(status, {"Location": console.url}, None)]
    report("1")
    console.may_answer.set()
    eventually(lambda: f"the console answers {status}" in caplog.text, 10)
    assert dlq.flush(10)
    assert console.keys == ["1"]


def test_what_the_console_refuses_is_dropped_and_said_and_the_rest_is_stored(batch, console, caplog):
    batch((403, {}, {"items": [{"item": 1, "detail": "this type or queue is not theirs."}]}))
    assert console.keys == ["first", "1", "3"]
    eventually(lambda: "dropped 1 report: the console refused it: this type or queue" in caplog.text, 10)


def test_of_a_batch_that_is_refused_without_a_word_each_is_tried_alone(batch, console, caplog):
    batch((413, {}, None), (201, {}, []), (413, {}, None))
    assert console.keys == ["first", "1", "3"]
    eventually(lambda: "dropped 1 report: the console refused it with 413" in caplog.text, 10)


def test_a_recovery_comes_after_its_failure_and_a_missing_one_is_none(report, console):
    console.answers += [(201, {}, []), (404, {}, None)]
    report("1")
    console.may_answer.set()
    dlq.recovered("shop", "1")
    dlq.report(ValueError("no"), 2, key="again")
    assert dlq.flush(10)
    assert console.keys[-1] == "again"
