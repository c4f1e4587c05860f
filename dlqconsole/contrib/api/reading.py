"""From a request to failures as they are stored: each form of a CloudEvent, and plain JSON."""

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from django.http import HttpRequest
from pydantic import BaseModel, ValidationError

from dlqconsole.contrib.api.members import Member, elements, members, read_text
from dlqconsole.contrib.api.problems import Problem
from dlqconsole.contrib.api.schemas import Cause, CloudEvent, Error, PlainFailure, sentences
from dlqconsole.core.settings import limits
from dlqconsole.processing import exact_json
from dlqconsole.processing.outcomes import REASON_LIMIT
from dlqconsole.processing.payloads import decode
from dlqconsole.processing.strict_json import TOO_LARGE, UNPARSABLE, Decoded
from dlqconsole.processing.texts import one_line, sanitise_text

MOST = 100
STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"
PLAIN = "application/json"
# headers of the request that are kept with a binary event, beside its attributes
_KEPT = ("content-type", "traceparent", "tracestate", "x-dlq-revive-seq")
_PREFIX, _ERROR = "ce-", "error"
_CHECKED = frozenset({"specversion", "id", "source", "type", "error", "data_base64"})

type ReadOne = Callable[[], Failure]


@dataclass(frozen=True, slots=True)
class Failure:
    """The arguments of ``failure_report``."""

    event_type: str
    source: str
    source_key: str | None
    payload: str | None
    payload_raw: bytes | None
    headers: str
    error_reason: str
    error_stacktrace: str
    error_category: str
    queue: str | None
    report: str | None


def read_failures(request: HttpRequest) -> tuple[list[ReadOne], bool]:
    """Return a reader of each failure, and whether it is a batch. Raises Problem, and so does a reader."""
    if "ce-specversion" in request.headers:
        return [lambda: _binary(request)], False
    kind = (request.content_type or "").lower()
    if kind in (STRUCTURED, PLAIN):
        text = read_text(request.body)
        if kind == STRUCTURED or not text.lstrip().startswith("["):
            return [lambda: of_object(text)], False
        return _batch(text), True
    if kind == BATCH:
        return _batch(read_text(request.body)), True
    raise Problem(
        415,
        f"Send {STRUCTURED}, {BATCH}, {PLAIN}, or an event in binary mode with the header ce-specversion.",
    )


def _batch(text: str) -> list[ReadOne]:
    texts = elements(text)
    if not texts:
        raise Problem(422, "The batch is empty.")
    if len(texts) > MOST:
        raise Problem(413, f"The batch holds {len(texts):,} failures; the most is {MOST}. Send it in parts.")
    return [lambda each=each: of_object(each) for each in texts]  # type: ignore[misc]


def _binary(request: HttpRequest) -> Failure:
    given = dict(_attributes(request))
    error = {name.removeprefix(_ERROR): given.pop(name) for name in list(given) if name.startswith(_ERROR)}
    headers = {name: request.headers[name] for name in _KEPT if request.headers.get(name)}
    others = {f"ce_{name}": value for name, value in given.items()}
    return of_binary({**given, "error": error}, request.body, others | headers)


def _attributes(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an event in binary mode, decoded as its binding to HTTP says."""
    for name, value in request.headers.items():
        if name.lower().startswith(_PREFIX):
            yield (
                name.lower().removeprefix(_PREFIX),
                unquote(value, errors="replace").replace("\x00", "\ufffd"),
            )


def of_object(text: str) -> Failure:
    """Read an object: a CloudEvent where it has a specversion, else the plain form. Raises Problem."""
    parts = members(text)
    values = {part.name: _checked(part) for part in parts if part.name in _CHECKED}
    if "specversion" in values:
        event = _validated(CloudEvent, values)
        event_members = ",".join(part.text for part in parts if part.name != "error")
        return failure(event, _payload(f"{{{event_members}}}"), {})
    plain = _validated(PlainFailure, values)
    data = next((part.value for part in reversed(parts) if part.name == "data"), "null")
    return failure(
        plain, _payload(_bytes(plain) if plain.data_base64 is not None else data), attributes(plain)
    )


def of_binary(values: Mapping[str, Any], body: bytes, headers: Mapping[str, str]) -> Failure:
    """Read a CloudEvent whose attributes stand in headers. Raises Problem."""
    event = _validated(CloudEvent, values)
    return failure(event, _payload(body or "null"), {**attributes(event), **headers})


def attributes(event: CloudEvent | PlainFailure) -> dict[str, Any]:
    """Return the headers by which handlers know an event whose payload is its data alone."""
    named = {"ce_type": event.type, "ce_source": event.source, "ce_id": event.id}
    return {name: value for name, value in named.items() if value is not None}


def failure(event: CloudEvent | PlainFailure, payload: Decoded, headers: Mapping[str, Any]) -> Failure:
    """Put the failure together; all texts are safe for PostgreSQL and bounded."""
    error = event.error
    return Failure(
        event.type,
        event.source,
        event.id,
        payload.json_text,
        payload.raw,
        exact_json.dumps({**headers, **error.headers}),
        one_line(_line(error), REASON_LIMIT),
        sanitise_text("\n".join([error.stacktrace.rstrip(), *map(_cause, error.causes)]).strip()),
        error.category,
        error.queue,
        error.report,
    )


def _checked(part: Member) -> Any:
    """Return a member's value: numbers as they were written, characters that can be stored."""
    read = decode(part.value, limits())
    if read.state in (UNPARSABLE, TOO_LARGE):
        raise Problem(422, f"{part.name} cannot be read: {read.problem}.")
    return exact_json.loads(read.json_text or "null")


def _validated[Shape: BaseModel](shape: type[Shape], values: Mapping[str, Any]) -> Shape:
    try:
        return shape.model_validate(values)
    except ValidationError as error:
        raise Problem(422, sentences(error.errors(include_input=False))) from None


def _payload(content: str | bytes) -> Decoded:
    """Return what jsonb can hold of it, and its bytes where that is not all."""
    read = decode(content, limits())
    if read.state == TOO_LARGE:
        raise Problem(413, f"{str(read.problem).capitalize()}. Report a smaller one, or a reference to it.")
    return read


def _bytes(plain: PlainFailure) -> bytes:
    try:
        return base64.b64decode(plain.data_base64 or "", validate=True)
    except (ValueError, binascii.Error):
        raise Problem(422, "data_base64 is not Base64.") from None


def _line(error: Error | Cause) -> str:
    # Java writes an inner class with a dollar sign
    name = error.type.replace("$", ".")
    return f"{name}: {error.message}" if error.message else name


def _cause(cause: Cause) -> str:
    lines: Iterable[str] = filter(None, [f"Caused by: {_line(cause)}", cause.stacktrace.rstrip()])
    return "\n".join(lines)
