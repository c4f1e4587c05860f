"""Two versions of the handlers, each in a process of its own: one checkout beside another."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from django.conf import settings

from dlqconsole.engine import handling
from dlqconsole.engine.handling import HandlerResult, StoredEvent
from dlqconsole.processing.errors import SetupError
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.isolation import HandlerProcesses
from dlqconsole.processing.modules import names_in
from dlqconsole.rehearsals.errors import CannotCompare


@dataclass(frozen=True, slots=True)
class Version:
    """Modules with handlers, as DLQ_HANDLERS has them, looked for in ``folder`` first (None: as here).

    ``named``: the option that says it, for sentences about it.
    """

    modules: str
    folder: Path | None
    named: str

    @classmethod
    def of(cls, modules: str | None, folder: str | None, named: str) -> "Version":
        """As two options say it; what is not given is as in this process. Raises CannotCompare."""
        made = cls(modules or settings.DLQ_HANDLERS, Path(folder).resolve() if folder else None, named)
        made._check()
        return made

    @property
    def words(self) -> str:
        """For people: ``shop from /srv/branch``."""
        return f"{self.modules} from {self.folder}" if self.folder else f"{self.modules} as it is here"

    def is_same(self, other: "Version") -> bool:
        """Whether comparing the two would tell nothing."""
        return (names_in(self.modules), self.folder) == (names_in(other.modules), other.folder)

    @contextmanager
    def running(self) -> Iterator[HandlerProcesses]:
        """Its process. Raises CannotCompare where its modules cannot be imported."""
        folders = [str(self.folder)] if self.folder else []
        try:
            own = handling.rehearsal_processes({"DLQ_HANDLERS": self.modules}, folders)
        except SetupError as error:
            raise CannotCompare(self._refusal(str(error))) from error
        with own:
            yield own

    def _refusal(self, words: str) -> str:
        """The setting's name stands in it only where the setting has said it."""
        if self.modules == settings.DLQ_HANDLERS:
            return f"{self.named}: {words}."
        return f"{words.replace('DLQ_HANDLERS', self.named)}."

    def _check(self) -> None:
        if not names_in(self.modules):
            raise CannotCompare(f"{self.named} names no module, and neither does DLQ_HANDLERS.")
        if self.folder is None:
            return
        if not self.folder.is_dir():
            raise CannotCompare(f"{self.named}-from: {quoted(str(self.folder), 200)} is no folder.")
        for name in names_in(self.modules):
            top = self.folder / name.partition(".")[0]
            if not (top.is_dir() or top.with_name(f"{top.name}.py").is_file()):
                raise CannotCompare(f"{self.named}-from: there is no {quoted(name)} in {self.folder}.")


def handled_by_both(
    first: HandlerProcesses, second: HandlerProcesses, stored: StoredEvent
) -> tuple[HandlerResult, HandlerResult]:
    """What each makes of it; both work at the same time."""
    asked = replace(stored, rehearsal=True)
    for own in (first, second):
        handling.begin(own, asked.key, asked)
    return _finished(first, asked), _finished(second, asked)


def _finished(own: HandlerProcesses, stored: StoredEvent) -> HandlerResult:
    while not (done := own.finished(60.0)):
        pass
    return handling.result_of(stored, done[0])
