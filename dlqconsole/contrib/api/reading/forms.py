"""The forms in which failures come: binary, structured, batch, and plain JSON."""

from collections.abc import Callable, Iterator
from urllib.parse import unquote

from django.http import HttpRequest

from dlqconsole.contrib.api.problems import Problem
from dlqconsole.contrib.api.reading.failure import Failure, of_binary, of_object
from dlqconsole.contrib.api.reading.members import elements, read_text

MOST = 100
STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"
PLAIN = "application/json"
# headers of the request that are kept with a binary event, beside its attributes
_KEPT = ("content-type", "traceparent", "tracestate", "x-dlq-revive-seq")
_PREFIX, _ERROR = "ce-", "error"

type ReadOne = Callable[[], Failure]


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
    kept = {name: request.headers[name] for name in _KEPT if request.headers.get(name)}
    others = {f"ce_{name}": value for name, value in given.items()}
    return of_binary({**given, "error": error}, request.body, others | kept)


def _attributes(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an event in binary mode, decoded as its binding to HTTP says."""
    for name, value in request.headers.items():
        if name.lower().startswith(_PREFIX):
            yield (
                name.lower().removeprefix(_PREFIX),
                unquote(value, errors="replace").replace("\x00", "\ufffd"),
            )
