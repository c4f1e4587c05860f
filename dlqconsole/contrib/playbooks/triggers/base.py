"""The base class of triggers, which decide when a playbook is due. Each trigger is one file beside this."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.operations.options import Option

type Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Notice:
    """A trigger's notice. ``memory``: columns to store; ``why``: the event in words; empty: none happened."""

    memory: dict[str, Any] = field(default_factory=dict)
    why: str = ""


NOTHING = Notice()


class Trigger:
    """Decides when a playbook is due. A trigger has no state: its memory is columns of the playbook's row."""

    name = ""
    # on the form
    label = ""
    options: tuple[Option, ...] = ()

    def read(self, values: Options) -> dict[str, Any]:
        """Read and check its options; they name only things within the scope. Raises OperationRefused."""
        return {option.name: option.read_for(values.get(option.name)) for option in self.options}

    def words(self, options: Options) -> str:
        """The trigger in words: ``when dependency:weather answers again``."""
        raise NotImplementedError

    def start(self, options: Options, now: datetime) -> dict[str, Any]:
        """The columns to store when it begins, or begins anew."""
        return {"seen_open_at": None, "next_at": None}

    def notice(self, row: Playbook, now: datetime) -> Notice:
        """Return the columns to store, and the event if it happened. Changes nothing."""
        raise NotImplementedError

    def not_yet(self, row: Playbook) -> str:
        """The reason why it is not due, for people: what it waits for."""
        raise NotImplementedError

    def still(self, row: Playbook) -> str:
        """The reason why a due playbook must not act now; empty: it may."""
        return ""
