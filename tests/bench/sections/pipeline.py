"""P1 to P4: years of flights by every way in, once more, reported on, rehearsed and replayed."""

from collections.abc import Mapping, Sequence

from tests.bench.crew import Crew
from tests.bench.pipeline.programs import Programs
from tests.bench.pipeline.progress import OF_OPERATION, OF_RUN, Progress
from tests.bench.report import Goal, Report, Table

type Commands = Sequence[Sequence[str]]

OURS = "tests.bench.pipeline"
INGEST = ("dlqconsole.pipeline", "ingest", "--once", "--source")
REPORT = ("dlqconsole.pipeline", "report")
EVENTS = "SELECT (SELECT count(*) FROM enriched_events) + (SELECT count(*) FROM dlq_events)"
# a day with flights in every size
DAY = "2013-02-08"
FILES, TWO, APPENDS, LIMIT = "files", "two plain", "appends", "parse + COPY"
FRAMES = ("frame", "stream", "format")


def measure(crew: Crew, report: Report) -> None:
    """Every cell in a database of its own, or in the one that the cell before it has filled."""
    with Programs(crew) as programs:
        figures = Figures(crew.size.events)
        for step in (first_starts, all_events, least, every_way, operations):
            step(programs, figures)
            for table, goals in figures.finished(step.__name__):
                report.add(table, goals)


class Figures:
    """The tables of all events, of a third, which every way brings in, and of a tenth, to report on."""

    def __init__(self, events: int) -> None:
        self.all, self.third, self.tenth = events, events // 3, events // 10
        self.ways = {
            number: Table(f"{number:,} events brought in, from the program's start to its end", "events/s")
            for number in (self.all, self.third)
        }
        self.again = Table("The same files once more, from the program's start to its end", "events/s")
        self.reports = Table("Reports as the data grows, from the program's start to its end", "s")
        self.works = Table("Once it works: without Spark's start", "rows/s")

    def finished(self, step: str) -> Sequence[tuple[Table, Sequence[Goal]]]:
        """The tables that are whole with this step, and their goals."""
        if step == "all_events":
            return [(self.ways[self.all], [self._beside_plain()]), (self.again, [self._restarts()])]
        if step == "every_way":
            beside = [self._beside_appends(door) for door in (FILES, *FRAMES)]
            growths = [self._growth("all days", 10.0), self._growth("one day", 2.0)]
            return [(self.ways[self.third], beside), (self.reports, growths)]
        return [(self.works, [self._replay()])] if step == "operations" else []

    def _beside_plain(self) -> Goal:
        ratios = self.ways[self.all].ratios("all", FILES, TWO)
        return Goal("P1", f"files / two plain processes, {self.all:,} events", 1.0, ratios)

    def _beside_appends(self, door: str) -> Goal:
        ratios = self.ways[self.third].ratios("all", door, APPENDS)
        return Goal("P1", f"{door} / Spark's own appends, {self.third:,} events", 1.3, ratios)

    def _restarts(self) -> Goal:
        ratios = self.again.ratios("all", "ledger", "reading")
        return Goal("P2", "restart: with its ledger / reading all", 2.0, ratios)

    def _growth(self, name: str, target: float) -> Goal:
        ratios = self.reports.ratios(f"{self.all:,}", name, name, f"{self.tenth:,}")
        return Goal("P3", f"report of {name}, x10 the data / x1", target, ratios, at_most=True)

    def _replay(self) -> Goal:
        return Goal("P4", "replay / ingest of files", 0.8, self.works.ratios("all", "replay", FILES))


def first_starts(programs: Programs, figures: Figures) -> None:
    """Not measured: the first job of each sort on a machine writes down Java's classes for all later ones."""
    programs.fresh()
    for command in ((*INGEST, programs.folder(figures.tenth)), (*REPORT, "--day", DAY)):
        programs.seconds(command)


def every_way(programs: Programs, figures: Figures) -> None:
    """A third by each way in. The last leaves its events, and reports on them."""
    number = figures.third
    folder = programs.folder(number)
    for name, commands in ways(folder).items():
        programs.fresh()
        figures.ways[number].add("all", name, number / programs.seconds(*commands))
        if name != LIMIT:
            check(programs, number, name)
    files(programs, figures, number)
    reports(programs, figures, number)


def ways(folder: str) -> Mapping[str, Commands]:
    """The programs of each way in but our own ingest; several are started at once."""
    return {
        **{door: [(f"{OURS}.doors", door, folder)] for door in FRAMES},
        APPENDS: [(f"{OURS}.appends", folder)],
        LIMIT: [(f"{OURS}.limit", folder, share, "2") for share in "01"],
        "one plain": [(f"{OURS}.plain", folder, "0", "1")],
        TWO: two_plain(folder),
    }


def two_plain(folder: str) -> Commands:
    """Two processes that share the files."""
    return [(f"{OURS}.plain", folder, share, "2") for share in "01"]


def files(programs: Programs, figures: Figures, number: int) -> None:
    """Our own ingest of files."""
    programs.fresh()
    with Progress(programs.url, OF_RUN) as progress:
        seconds = programs.seconds((*INGEST, programs.folder(number)))
    figures.ways[number].add("all", FILES, number / seconds)
    if number == figures.third:
        figures.works.add("all", FILES, progress.rate)
    check(programs, number, FILES)


def operations(programs: Programs, figures: Figures) -> None:
    """Cancelled flights are rehearsed; unknown planes are added, and their flights replayed."""
    programs.seconds((f"{OURS}.add_planes", str(programs.home)))
    for kind, error_class in {"rehearse": "FlightCancelled", "replay": "PlaneUnknown"}.items():
        with Progress(programs.url, OF_OPERATION.format(kind)) as progress:
            programs.seconds((f"{OURS}.operation", kind, error_class))
        figures.works.add("all", kind, progress.rate)


def least(programs: Programs, figures: Figures) -> None:
    """So few events that a report costs little but its start."""
    programs.fresh()
    programs.seconds(*two_plain(programs.folder(figures.tenth)))
    reports(programs, figures, figures.tenth)


def all_events(programs: Programs, figures: Figures) -> None:
    """All of them by the two that are compared; then the same files again, and a report."""
    number = figures.all
    folder = programs.folder(number)
    programs.fresh()
    figures.ways[number].add("all", TWO, number / programs.seconds(*two_plain(folder)))
    check(programs, number, TWO)
    files(programs, figures, number)
    for name, command in {"ledger": (*INGEST, folder), "reading": (*INGEST, folder, "--again")}.items():
        figures.again.add("all", name, number / programs.seconds(command))
    check(programs, number, "again")
    reports(programs, figures, number)


def reports(programs: Programs, figures: Figures, number: int) -> None:
    """All days, and one."""
    for name, more in {"all days": (), "one day": ("--day", DAY)}.items():
        figures.reports.add(f"{number:,}", name, programs.seconds((*REPORT, *more)))


def check(programs: Programs, number: int, name: str) -> None:
    """Raise where an event is missing, or there twice."""
    found = programs.ask(EVENTS)
    if found != number:
        raise RuntimeError(f"{name}: {found:,} events are there, and not {number:,}")
