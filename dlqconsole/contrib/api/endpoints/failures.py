"""POST /failures: something failed."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router, Status
from pydantic import BaseModel

from dlqconsole.contrib.api.caller import ApiCaller
from dlqconsole.contrib.api.problems import Problem
from dlqconsole.contrib.api.reading import BATCH, MOST, PLAIN, STRUCTURED, Failure, ReadOne, read_failures
from dlqconsole.contrib.api.schemas import CloudEvent, PlainFailure, Reported
from dlqconsole.contrib.api.storing import KEY_LIMIT, store

router = Router()
REF = "#/components/schemas/"


def _content(shape: type[BaseModel]) -> dict[str, Any]:
    return {"schema": {"$ref": f"{REF}{shape.__name__}"}}


def _header(name: str, words: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": words,
        "schema": {"type": "string"},
    }


_MANY = {"type": "array", "minItems": 1, "maxItems": MOST, "items": _content(CloudEvent)["schema"]}
PROBLEM = {
    "description": "why not, and what to do",
    "content": {"application/problem+json": {"schema": {"type": "object", "additionalProperties": True}}},
}
_REQUEST = {
    "responses": {"4XX": PROBLEM, "503": PROBLEM},
    "requestBody": {
        "required": True,
        "content": {
            STRUCTURED: _content(CloudEvent),
            BATCH: {"schema": _MANY},
            PLAIN: _content(PlainFailure),
        },
    },
    "parameters": [
        _header("Idempotency-Key", "of this request: sent again under it, it counts once"),
        _header("ce-specversion", "1.0: the event is in binary mode. Its attributes are ce- headers, too"),
        *(
            _header(f"ce-error{name}", "in binary mode, percent-encoded")
            for name in ("type", "message", "stacktrace", "category", "queue")
        ),
    ],
}


@router.post(
    "/failures",
    url_name="api_failures",
    operation_id="report_failures",
    summary="Report failures",
    response={201: Reported | list[Reported]},
    openapi_extra=_REQUEST,
)
def failures(request: HttpRequest, response: HttpResponse) -> Status[Any]:
    """Keep a failed event, or a batch of them, as dead letters: all or none. The order stays."""
    caller: ApiCaller = request.auth  # type: ignore[attr-defined]
    key = _key(request)
    readers, is_batch = read_failures(request)
    caller.take(len(readers))
    stored = store(caller.actor, key, _read(caller, readers, is_batch))
    answers = [_reported(request, *each) for each in stored]
    if is_batch:
        return Status(201, answers)
    response["Location"] = answers[0].url
    return Status(201, answers[0])


def _key(request: HttpRequest) -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not 0 < len(key) <= KEY_LIMIT:
        raise Problem(422, f"The Idempotency-Key must have 1 to {KEY_LIMIT} characters, as a UUID has.")
    return key


def _read(caller: ApiCaller, readers: Sequence[ReadOne], is_batch: bool) -> list[Failure]:
    """Read all of them, and say of each that is wrong what is wrong."""
    failures, problems = [], list[tuple[int, Problem]]()
    for place, read in enumerate(readers):
        try:
            failure = read()
            caller.check(failure.event_type, failure.queue)
            failures.append(failure)
        except Problem as problem:
            problems.append((place, problem))
    if not problems:
        return failures
    place, first = problems[0]
    if not is_batch:
        raise first
    items = [(place, problem.detail) for place, problem in problems]
    sentence = f"{len(items)} of {len(readers)} failures cannot be taken, and none was stored: see items."
    raise Problem(first.status, sentence, items=items)


def _reported(request: HttpRequest, letter: int, group: int | None) -> Reported:
    url = request.build_absolute_uri(reverse("dlq:dead_letter", args=[letter]))
    group_url = group and request.build_absolute_uri(reverse("dlq:group", args=[group]))
    return Reported(id=letter, url=url, group_url=group_url or None)
