"""What a trigger says about itself: when a playbook is due. One file a trigger."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.engine.reach import Reach
from dlqconsole.operations.options import Option

type Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Noticed:
    """``memory``: columns that are to be remembered; ``why``: it happened, in words; empty: it did not."""

    memory: dict[str, Any] = field(default_factory=dict)
    why: str = ""


NOTHING = Noticed()


class Trigger:
    """When a playbook is due. It keeps nothing: what it has to remember stands in the playbook's row."""

    name = ""
    # on the form
    label = ""
    options: tuple[Option, ...] = ()

    def read(self, given: Options, reach: Reach) -> dict[str, Any]:
        """Its options, checked; what they name is seen. Raises OperationRefused."""
        read = {option.name: option.read(given.get(option.name)) for option in self.options}
        for option in self.options:
            option.check_seen(read[option.name], reach)
        return read

    def words(self, options: Options) -> str:
        """``when dependency:weather answers again``."""
        raise NotImplementedError

    def start(self, options: Options, now: datetime) -> dict[str, Any]:
        """What it remembers when it begins, or begins anew."""
        return {"seen_open_at": None, "next_at": None}

    def notice(self, row: Playbook, reach: Reach, now: datetime) -> Noticed:
        """What is to be remembered, and whether it happened. Changes nothing."""
        raise NotImplementedError

    def not_yet(self, row: Playbook) -> str:
        """Why it is not due, for people: what it waits for."""
        raise NotImplementedError

    def still(self, row: Playbook) -> str:
        """It happened: why nothing is done all the same just now. Empty: it is."""
        return ""
