"""Each refusal is a sentence that says what to do, and nothing of what was sent."""

import json

import pytest

from dlqconsole.engine.models import DeadLetter
from tests.contrib.api.conftest import BATCH, ERROR, EVENT, FAILED, FAILURES, RECOVERIES, problem

SECRET = "4111 1111 1111 1111"


def failing(**changed):
    return {name: value for name, value in (FAILED | changed).items() if value is not None}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (f'{{"card": "{SECRET}"', "The body is not JSON (line 1"),
        (f'{{"card": "{SECRET}"}} x', "The body is not JSON"),
        (f'"{SECRET}"', "The body must be an object of JSON here"),
        (" ", "The body must be an object of JSON here"),
        (b"\xff" + SECRET.encode(), "The body is not UTF-8 (byte 0)"),
        (failing(error=None, data=SECRET), "error: Field required."),
        (failing(error={"message": SECRET}), "error.type: Field required."),
        (failing(error=ERROR | {"category": SECRET}), "error.category: Input should be 'TRANSIENT'"),
        (failing(error=ERROR | {"message": [SECRET]}), "error.message: Input should be a valid string."),
        (failing(id=[SECRET]), "id: Input should be a valid string."),
        (failing(source=""), "source: String should have at least 1 character."),
        (failing(type=SECRET * 100), "type: String should have at most 512 characters."),
        (failing(id="é" * 512 + "\U0001f600"), "id: String should have at most 512"),
        (failing(specversion=SECRET), "specversion: Input should be '1.0'."),
        ('{"specversion": "1.0", "id": 1' + ", " * 9, "The body is not JSON"),
    ],
)
def test_what_is_wrong_is_said_without_what_was_sent(reporter, body, sentence):
    answer = reporter.post(body)
    assert sentence in problem(answer, 422)
    assert SECRET not in answer.content.decode()
    assert not DeadLetter.objects.exists()


def test_a_kind_of_content_that_is_none_of_ours(reporter):
    assert "application/cloudevents+json" in problem(reporter.post("<a/>", "text/xml"), 415)


def test_a_payload_that_is_too_large(reporter, settings):
    sentence = problem(reporter.post(FAILED | {"data": SECRET * 60_000}), 413)
    assert "more than 1,048,576. Report a smaller one" in sentence


def test_a_body_that_is_too_large(reporter):
    assert "larger than 4 MiB" in problem(reporter.post(FAILED | {"data": "x" * 4_200_000}), 413)


def test_a_body_that_is_nested_too_deep(reporter):
    text = json.dumps(EVENT).replace('{"order_id": 1}', "[" * 100_000 + "]" * 100_000)
    assert reporter.post(text).status_code == 413


def test_a_batch_of_too_many(reporter):
    assert "The batch holds 101 failures; the most is 100" in problem(
        reporter.post([FAILED] * 101, BATCH), 413
    )
    assert "The batch is empty" in problem(reporter.post([], BATCH), 422)


def test_a_batch_with_a_wrong_one_is_stored_not_at_all(reporter):
    answer = reporter.post([FAILED, failing(id=None), FAILED, failing(error=None)], BATCH)
    assert "2 of 4 failures cannot be taken, and none was stored" in problem(answer, 422)
    assert answer.json()["items"] == [
        {"item": 1, "detail": "id: Field required."},
        {"item": 3, "detail": "error: Field required."},
    ]
    assert not DeadLetter.objects.exists()


def test_a_recovery_that_is_wrong(reporter):
    assert "source: Field required" in problem(
        reporter.post({"key": "1"}, "application/json", RECOVERIES), 422
    )
    assert "not JSON" in problem(reporter.post(f"{{{SECRET}", "application/json", RECOVERIES), 400)
    sentence = problem(reporter.recover(key=f"{SECRET}\x00"), 422)
    assert SECRET not in sentence


def test_a_number_that_no_database_holds_is_kept_as_bytes(reporter):
    body = json.dumps(FAILED).replace('"order_id": 1', f'"order_id": 1{"0" * 200_000}')
    assert reporter.post(body).status_code == 201


def test_other_methods_are_none(reporter):
    assert [reporter.client.get(path).status_code for path in ("/api/v1/failures", RECOVERIES)] == [405, 405]


@pytest.mark.parametrize("path", ["/api/v1/elsewhere", "/api/v1/failures/", "/api/v1/failures/7"])
@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
def test_an_address_that_is_none_of_the_api_is_a_problem_for_anybody(client, reporter, path, method):
    for caller in (client, reporter.client):
        assert "openapi.json beside it" in problem(getattr(caller, method)(path), 404)


@pytest.mark.parametrize(("path", "method"), [(FAILURES, "POST"), (RECOVERIES, "POST")])
def test_another_method_is_a_problem_that_names_the_right_one(client, reporter, path, method):
    for caller in (client, reporter.client):
        answer = caller.put(path)
        assert problem(answer, 405) == f"The method here is {method}."
        assert answer["Allow"] == method
    assert "GET, HEAD" in problem(client.post("/api/v1/openapi.json"), 405)


def test_a_recovery_of_another_kind_of_content_says_what_to_send(reporter):
    answer = reporter.post("source=shop&key=e1", "application/x-www-form-urlencoded", RECOVERIES)
    assert problem(answer, 400) == "The body is not JSON. Send one JSON document."
