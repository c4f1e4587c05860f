"""The queue of a revive of somebody else's dead letter: to who failed, never to every reader of a topic."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from dlqconsole.pipeline.errors import BadRequest

from .dialects.foreign import Foreign
from .records import is_topic

RETRY, ORIGIN = "retry", "origin"


@dataclass(frozen=True, slots=True)
class Destinations:
    """``choice``: ``retry``, the failing group's retry topic where there is one, else the topic of origin;
    ``origin``, always that; or a name with {topic} and {group} in it. ``topics``: those that there are.
    """

    choice: str = RETRY
    topics: frozenset[str] = field(default_factory=frozenset)

    def of(self, dead_letter_topic: str, foreign: Foreign) -> str:
        """The queue of a dead letter: kafka:<topic>."""
        origin = foreign.topic or dead_letter_topic
        if self.choice == ORIGIN:
            return f"kafka:{origin}"
        if self.choice == RETRY:
            return f"kafka:{self._retry_topic(origin, foreign.group) or origin}"
        topic = self.choice.replace("{topic}", origin).replace("{group}", foreign.group or "")
        return f"kafka:{topic if is_topic(topic) else origin}"

    def _retry_topic(self, origin: str, group: str | None) -> str | None:
        """Spring's names: orders-retry, or orders-retry-0 and on, of which the first waits for the least."""
        for stem in [f"{origin}-{group}-retry", f"{origin}-retry"] if group else [f"{origin}-retry"]:
            if stem in self.topics:
                return stem
            if first := _first_numbered(stem, self.topics):
                return first
        return None


def check_choice(choice: str, name: str = "--revive-to") -> str:
    """The choice, if it is one. Raises BadRequest."""
    if choice in (RETRY, ORIGIN):
        return choice
    plain = choice.replace("{topic}", "").replace("{group}", "")
    if not re.fullmatch(r"[A-Za-z0-9._-]{0,200}", plain):
        raise BadRequest(f"{name} is retry, origin, or a topic's name with {{topic}} and {{group}} in it")
    return choice


def _first_numbered(stem: str, topics: Iterable[str]) -> str | None:
    topics_by_number = [
        (int(name[len(stem) + 1 :]), name)
        for name in topics
        if re.fullmatch(rf"{re.escape(stem)}-\d{{1,9}}", name)
    ]
    return min(topics_by_number)[1] if topics_by_number else None
