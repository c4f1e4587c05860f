"""The way of dead letters in RabbitMQ: through exchanges and bindings, to the queues where they stay."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dlqconsole.transports.rabbitmq.management import Management
from dlqconsole.transports.target import DeadLetterQueue

type Row = Mapping[str, Any]

# in the bindings of a topic exchange
_WORDS = {"#": ".*", "*": "[^.]*"}
_EXCHANGE, _KEY = "dead-letter-exchange", "dead-letter-routing-key"


def dead_letter_queues(management: Management) -> list[DeadLetterQueue]:
    """Ask the management API, and follow what it says."""
    return at_the_end(management.queues(), management.exchanges(), management.bindings())


def at_the_end(
    queues: Sequence[Row], exchanges: Sequence[Row], bindings: Sequence[Row]
) -> list[DeadLetterQueue]:
    """Return the queues where dead letters stay, and those sources whose dead letters are lost.

    A queue that dead-letters on to another is a station, as where messages wait for a retry. Where it has no
    routing key for them, messages keep their own, and any binding of the exchange may take them.
    """
    ways, names = _Ways(exchanges, bindings), {str(each["name"]): each for each in queues}
    sources: dict[str, list[str]] = defaultdict(list)
    stations, lost = set(), []
    for name, queue in sorted(names.items()):
        exchange, key = _argument(queue, _EXCHANGE), _argument(queue, _KEY)
        if exchange is None:
            continue
        ends = ways.ends(exchange, key) & names.keys()
        if not ends and ways.is_dead_end(exchange, key):
            lost.append(DeadLetterQueue("", (name,)))
        for end in ends - {name}:
            stations.add(name)
            sources[end].append(name)
    return lost + [
        DeadLetterQueue(end, tuple(froms), names[end].get("messages"), bool(names[end].get("consumers")))
        for end, froms in sorted(sources.items())
        if end not in stations
    ]


class _Ways:
    """The ways of messages from an exchange to queues."""

    def __init__(self, exchanges: Iterable[Row], bindings: Iterable[Row]) -> None:
        self._exchanges = {str(each["name"]): each for each in exchanges}
        self._bindings: dict[str, list[Row]] = defaultdict(list)
        for each in bindings:
            self._bindings[str(each.get("source", ""))].append(each)

    def ends(self, exchange: str, key: str | None) -> set[str]:
        """Return the queues that a message with this key, None: with any, may come to."""
        if not exchange:  # the default one, which binds each queue by its name
            return set() if key is None else {key}
        ends, visited, to_do = set[str](), {exchange}, [exchange]
        while to_do:
            place = to_do.pop()
            kind = str(self._exchanges.get(place, {}).get("type", ""))
            for each in self._bindings[place]:
                if not _matches(kind, str(each.get("routing_key", "")), key):
                    continue
                destination = str(each.get("destination", ""))
                if each.get("destination_type") == "queue":
                    ends.add(destination)
                elif destination not in visited:
                    visited.add(destination)
                    to_do.append(destination)
        return ends

    def is_dead_end(self, exchange: str, key: str | None) -> bool:
        """Tell whether what comes to the exchange is surely lost: it is not there, or leads nowhere."""
        if not exchange:
            return key is not None
        there = self._exchanges.get(exchange)
        if there is None:
            return True
        goes_elsewhere = there.get("policy") or "alternate-exchange" in (there.get("arguments") or {})
        return there.get("type") in ("direct", "fanout", "topic") and not goes_elsewhere


def _argument(queue: Row, name: str) -> str | None:
    """Return what the queue was declared with, else what its policies say."""
    arguments, policy = queue.get("arguments") or {}, queue.get("effective_policy_definition") or {}
    value = arguments.get(f"x-{name}", policy.get(name))
    return None if value is None else str(value)


def _matches(kind: str, binding: str, key: str | None) -> bool:
    if key is None or kind not in ("direct", "topic"):
        return True
    if kind == "direct":
        return binding == key
    words = (_WORDS.get(word) or re.escape(word) for word in binding.split("."))
    # "#" takes no word as well, with the dot beside it
    pattern = r"\.".join(words).replace(r"\..*", r"(\..*)?").replace(r".*\.", r"(.*\.)?")
    return re.fullmatch(pattern, key) is not None
