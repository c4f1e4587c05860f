"""The shapes of what is sent and answered: they check it, and OpenAPI is made of them."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from dlqconsole.processing.events import ATTRIBUTE_BYTES, ATTRIBUTE_LIMIT
from dlqconsole.processing.inputs.plain_text import is_storable


def _name(value: str) -> str:
    if not is_storable(value):
        raise ValueError("it holds a character that cannot be stored")
    if len(value.encode()) > ATTRIBUTE_BYTES:
        raise ValueError(f"it is longer than {ATTRIBUTE_BYTES:,} bytes")
    return value


Name = Annotated[str, Field(min_length=1, max_length=ATTRIBUTE_LIMIT), AfterValidator(_name)]
Category = Literal["TRANSIENT", "DEPENDENCY", "PERMANENT", "BUSINESS", "UNKNOWN"]


class Cause(BaseModel):
    """An error that led to the one before it."""

    type: str = Field("", description="its class")
    message: str = ""
    stacktrace: str = ""


class Error(BaseModel):
    """Why it failed."""

    type: str = Field(min_length=1, description="the class of the error: failures are grouped by it")
    message: str = ""
    stacktrace: str = ""
    category: Category = Field("UNKNOWN", description="what it needs; left out: the failure rules find it")
    causes: list[Cause] = Field([], max_length=20, description="the nearest cause first")
    queue: str | None = Field(
        None, min_length=1, max_length=255, description="where it is revived to; none: named after the type"
    )
    headers: dict[str, Any] = Field({}, description="the headers of the message that failed")
    report: str | None = Field(
        None,
        min_length=1,
        max_length=255,
        description="its own id: sent again in any request, it counts once",
    )


class CloudEvent(BaseModel):
    """A CloudEvent 1.0 in JSON that failed, with its error. All its members but `error` are kept."""

    specversion: Literal["1.0"]
    id: Name
    source: Name
    type: Name
    data: Any = None
    error: Error


class PlainFailure(BaseModel):
    """The same without `specversion`: `data` alone is kept. Without an `id` each is an event of its own."""

    id: Name | None = None
    source: Name
    type: Name
    data: Any = None
    data_base64: str | None = Field(None, description="instead of data: bytes that are no JSON")
    error: Error


class Recovery(BaseModel):
    """An event that succeeded after all, where it had failed."""

    source: Name
    key: Name = Field(description="the event's id")


class Reported(BaseModel):
    """The dead letter of a failure."""

    id: int
    url: str = Field(description="its page")
    group_url: str | None = Field(description="the page of its failure group; null: it is gone")


class Recovered(BaseModel):
    """What became of it."""

    recovered: bool = Field(description="false: it was closed already, or its message is on a queue here")
    id: int
    url: str


def sentences(errors: Iterable[Mapping[str, Any]]) -> str:
    """Return what is wrong, member by member, without the values."""
    return " ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}." for each in errors)
