"""O1, O2: operations beside one bare statement that does the same writes, and beside a loop over rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any

from tests.bench.crew import Crew
from tests.bench.dead_letters import stocked
from tests.bench.report import Goal, Report, Table

PAGES, STATEMENT, LOOP = "pages", "one statement", "loop over rows"
# held back, so that an undo finds them all; the bare statement does the same
REVIVE = {"undo_seconds": 3600}
EDIT = {"recipe": '[{"op": "replace", "path": "/customer/tier", "value": "gold"}]'}
PAUSE = 0.01  # between a claimer's claims
CLAIMS_A_MINUTE = 6_000


def measure(crew: Crew, report: Report) -> None:
    """Each kind on a fresh copy of the same dead letters; what is compared follows one another."""
    number = crew.size.letters
    section = Section(crew, number)
    for repetition in range(crew.size.letter_runs):
        steps = [section.pages_revive, section.statement_revive]
        for step in steps[:: -1 if repetition % 2 else 1]:
            step()
        section.pages_edit()
        steps = [section.pages_discard, section.statement_discard]
        for step in steps[:: -1 if repetition % 2 else 1]:
            step()
    report.add(section.rates, section.goals())
    report.add(section.waits, section.wait_goals())


class Section:
    """The figures of both tables, and how each comes about."""

    def __init__(self, crew: Crew, number: int) -> None:
        self.crew, self.number = crew, number
        self.rates = Table(f"Operations over {number:,} dead letters", "items/s")
        self.waits = Table("A claim and the completion of the one before, meanwhile", "ms")

    def pages_revive(self) -> None:
        """Ours: revive with a claimer beside it, then take all of it back."""
        with self._copy() as crew:
            operation = self._frozen(crew, "revive", REVIVE)
            with self._claimer(crew, PAGES):
                seconds = crew.ask("operations", "work", operation=operation)
            self._note("revive", PAGES, seconds)
            self._note("undo", PAGES, crew.ask("operations", "undo", operation=operation))

    def statement_revive(self) -> None:
        """The bare statement, with the same claimer."""
        with self._copy() as crew:
            operation = self._selected(crew, "revive")
            with self._claimer(crew, STATEMENT):
                seconds = crew.ask("one_statement", "work", kind="revive", operation=operation)
            self._note("revive", STATEMENT, seconds)

    def pages_edit(self) -> None:
        """Ours: every payload changed by a recipe. Then a loop over rows revives some of them."""
        with self._copy() as crew:
            operation = self._frozen(crew, "edit", EDIT)
            self._note("edit", PAGES, crew.ask("operations", "work", operation=operation))
            loops = [crew.ask("django_loop", "revive", number=crew.size.loop) for _ in range(3)]
            self.rates.add("revive", LOOP, median(loops))

    def pages_discard(self) -> None:
        """Ours: discard."""
        with self._copy() as crew:
            operation = self._frozen(crew, "discard", {})
            self._note("discard", PAGES, crew.ask("operations", "work", operation=operation))

    def statement_discard(self) -> None:
        """The bare statement."""
        with self._copy() as crew:
            operation = self._selected(crew, "discard")
            self._note(
                "discard", STATEMENT, crew.ask("one_statement", "work", kind="discard", operation=operation)
            )

    def goals(self) -> list[Goal]:
        """Against the bare statement, the loop, and our own revive."""
        rates = self.rates
        revived = median(rates.rows["revive"][PAGES])
        return [
            Goal("O1", "revive / one statement", 0.95, rates.ratios("revive", PAGES, STATEMENT)),
            Goal("O1", "revive / Django's loop over rows", 45, rates.ratios("revive", PAGES, LOOP)),
            Goal("O2", "freeze / INSERT … SELECT", 0.8, rates.ratios("freeze", PAGES, STATEMENT)),
            Goal("O2", "undo / revive", 0.8, [rate / revived for rate in rates.rows["undo"][PAGES]]),
            Goal(
                "O2", "edit by recipe / revive", 0.5, [rate / revived for rate in rates.rows["edit"][PAGES]]
            ),
        ]

    def wait_goals(self) -> list[Goal]:
        """What a consumer feels of a revive."""
        ratios = self.waits.ratios("p99", PAGES, f"idle before {PAGES}")
        return [Goal("O1", "claimer's p99 during revive / idle", 6, ratios, at_most=True)]

    @contextmanager
    def _copy(self) -> Iterator[Crew]:
        crew = self.crew
        template = stocked(crew.server, self.number)
        with Crew(crew.server, "operations", crew.size, template) as copy:
            yield copy

    def _frozen(self, crew: Crew, kind: str, parameters: dict[str, Any]) -> int:
        """Our selection. Where a bare one is not made in the same run of steps, it stands beside it."""
        found = crew.ask("operations", "freeze", kind=kind, number=self.number, parameters=parameters)
        if kind != "edit":
            self._note("freeze", PAGES, found["seconds"])
        return found["operation"]

    def _selected(self, crew: Crew, kind: str) -> int:
        found = crew.ask("one_statement", "freeze", kind=kind)
        self._note("freeze", STATEMENT, found["seconds"])
        return found["operation"]

    def _note(self, row: str, system: str, seconds: float) -> None:
        self.rates.add(row, system, self.number / seconds)

    @contextmanager
    def _claimer(self, crew: Crew, beside: str) -> Iterator[None]:
        """A consumer of another queue: first alone, then beside what is measured."""
        crew.stock.fill("ours", int(CLAIMS_A_MINUTE * (0.2 + self.number / 300_000)))
        [claimer] = crew.workers("ours", 1)
        claimer.begin("claim_until_told", pause=PAUSE, seconds=crew.size.watch)
        self._waited(f"idle before {beside}", claimer.answer())
        claimer.begin("claim_until_told", pause=PAUSE, seconds=3600)
        yield
        claimer.begin("stop")
        self._waited(beside, claimer.answer())
        claimer.answer()

    def _waited(self, system: str, took: list[float]) -> None:
        waits = sorted(seconds * 1000 for seconds in took)
        self.waits.add("p50", system, median(waits))
        self.waits.add("p99", system, quantiles(waits, n=100, method="inclusive")[98])
        self.waits.add("longest", system, waits[-1])
