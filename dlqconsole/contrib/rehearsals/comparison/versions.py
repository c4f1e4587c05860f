"""Two versions of the handlers, each in a process of its own: one checkout beside another."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from dlqconsole.contrib.rehearsals import running
from dlqconsole.core import handling
from dlqconsole.core.handling import HandlerResult, StoredEvent
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.isolation import HandlerProcesses
from dlqconsole.processing.modules import names_in


class CannotCompare(ValueError):
    """The options make no comparison; the message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Version:
    """Modules with handlers, as in DLQ_HANDLERS, searched in ``folder`` first (None: as in this process).

    ``option``: the name of the option that gives it, for sentences.
    """

    modules: str
    folder: Path | None
    option: str

    @classmethod
    def of(cls, modules: str | None, folder: str | None, option: str) -> "Version":
        """Make a version from two options; a missing one is as in this process. Raises CannotCompare."""
        version = cls(modules or settings.DLQ_HANDLERS, Path(folder).resolve() if folder else None, option)
        version._check()
        return version

    @property
    def words(self) -> str:
        """The version in words: ``shop from /srv/branch``."""
        return f"{self.modules} from {self.folder}" if self.folder else f"{self.modules} as it is here"

    def is_same(self, other: "Version") -> bool:
        """Tell whether the two are the same modules from the same folder."""
        return (names_in(self.modules), self.folder) == (names_in(other.modules), other.folder)

    @contextmanager
    def running(self) -> Iterator[HandlerProcesses]:
        """Run its process. Raises CannotCompare where its modules cannot be imported."""
        folders = [str(self.folder)] if self.folder else []
        try:
            own = running.rehearsal_processes({"DLQ_HANDLERS": self.modules}, folders)
        except SetupError as error:
            raise CannotCompare(self._refusal(str(error))) from error
        with own:
            yield own

    def _refusal(self, words: str) -> str:
        """A sentence that names the setting only where the modules come from the setting."""
        if self.modules == settings.DLQ_HANDLERS:
            return f"{self.option}: {words}."
        return f"{words.replace('DLQ_HANDLERS', self.option)}."

    def _check(self) -> None:
        if not names_in(self.modules):
            raise CannotCompare(f"{self.option} names no module, and neither does DLQ_HANDLERS.")
        if self.folder is None:
            return
        if not self.folder.is_dir():
            raise CannotCompare(f"{self.option}-from: {quoted(str(self.folder), 200)} is no folder.")
        for name in names_in(self.modules):
            top = self.folder / name.partition(".")[0]
            if not (top.is_dir() or top.with_name(f"{top.name}.py").is_file()):
                raise CannotCompare(f"{self.option}-from: there is no {quoted(name)} in {self.folder}.")


def handle_with_both(
    first: HandlerProcesses, second: HandlerProcesses, event: StoredEvent
) -> tuple[HandlerResult, HandlerResult]:
    """Return the outcome of each version; both work at the same time."""
    for own in (first, second):
        handling.begin(own, event.key, event)
    return _wait_for(first, event), _wait_for(second, event)


def _wait_for(own: HandlerProcesses, event: StoredEvent) -> HandlerResult:
    while not (outcomes := own.finished(60.0)):
        pass
    return handling.result_of(event, outcomes[0])
