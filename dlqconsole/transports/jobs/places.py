"""The place of a queue of jobs: ``email``, ``email@schema``, ``email@service:billing.schema``."""

from dataclasses import dataclass

from dlqconsole.core.errors import UnknownQueue

_SERVICE = "service:"


@dataclass(frozen=True, slots=True)
class Place:
    """A queue's name there. ``service``: another database; ``schema``: empty where the search path leads."""

    queue: str
    service: str = ""
    schema: str = ""


def place_of(remote_name: str) -> Place:
    """Read a queue's name. Raises UnknownQueue."""
    queue, at, where = remote_name.rpartition("@")
    if not at:
        queue, where = remote_name, ""
    if not queue or (at and not where) or "\x00" in remote_name:
        raise UnknownQueue("Write <queue>, <queue>@<schema> or <queue>@service:<service>.<schema>.")
    if not where.startswith(_SERVICE):
        return Place(queue, schema=where)
    service, _dot, schema = where.removeprefix(_SERVICE).partition(".")
    if not service:
        raise UnknownQueue(f"Write {queue}@service:<service>: the service names the other database.")
    return Place(queue, service, schema)
