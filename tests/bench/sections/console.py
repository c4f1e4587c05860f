"""C1 to C4: what a person waits for, and what the kept figures cost those who write."""

from statistics import median

from tests.bench.crew import Crew
from tests.bench.dead_letters import stocked
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns

LISTS = ("console", "template", "admin")
WRITERS = ("ours", "source design")
FIGURES = {
    "status": "counts by status",
    "type": "counts by status of one type",
    "hours": "histogram, 24 hours",
}
SINGLES = 40  # a COPY's rows, but one by one
INTAKE = {"copy": 0.5, "single": 0.8}


def measure(crew: Crew, report: Report) -> None:
    """On a copy of the dead letters that operations are measured with."""
    number = crew.size.letters
    template = stocked(crew.server, number)
    with Crew(crew.server, "console", crew.size, template) as copy:
        copy.ask("source_design", "fill")
        lists(copy, report, number)
        figures(copy, report, number)
        needles(copy, report, number)
        writes(copy, report)


def lists(crew: Crew, report: Report, number: int) -> None:
    """C1: the first page three ways; the thousandth."""
    size = crew.size
    table = Table(f"The list's first page, of {number:,} dead letters", "ms")
    for system in LISTS:
        crew.ask("lists", "view", whose=system, number=1)
    for row, system in in_turns(["first page"], LISTS, size.repetitions):
        times = 1 if system == "admin" else size.views
        table.add(row, system, median(crew.ask("lists", "view", whose=system, number=times)))
    page = min(1_000, number // 50 - 1)
    deep = f"page {page:,}"
    ratios = []
    for _ in range(size.repetitions):
        first, later = crew.ask("lists", "deep", page=page, number=size.views)
        ratios.append(median(later) / median(first))
        table.add(deep, "console", median(later))
    report.add(
        table,
        [
            Goal(
                "C1",
                "list / Django's Paginator and template",
                4,
                table.ratios("first page", "template", "console"),
            ),
            Goal("C1", "list / Django's admin", 300, table.ratios("first page", "admin", "console")),
            Goal("C1", f"{deep} / page 1", 1.2, ratios, at_most=True),
        ],
    )


def figures(crew: Crew, report: Report, number: int) -> None:
    """C2: counts that are kept, and the same by GROUP BY."""
    table = Table(f"Figures of {number:,} dead letters", "ms")
    differences = 0
    for _row, system in in_turns([""], WRITERS, crew.size.repetitions):
        peer = "lists" if system == "ours" else "source_design"
        found = crew.ask(peer, "figures", number=crew.size.views)
        differences += found.pop("differences", 0)
        for name, took in found.items():
            table.add(FIGURES[name], system, median(took))
    goals = [
        Goal("C2", f"{row} / GROUP BY", 500, table.ratios(row, *WRITERS[::-1])) for row in FIGURES.values()
    ]
    report.add(
        table, [*goals, Goal("C2", "figures that are not the exact count", 0, [differences], at_most=True)]
    )


def needles(crew: Crew, report: Report, number: int) -> None:
    """C3: one dead letter by a text of its reason; by a value in its payload, with and without an index."""
    size = crew.size
    table = Table(f"One of {number:,} dead letters", "ms")
    needle = number // 10 * 5  # order number of a reason with a shard
    ours, theirs = WRITERS
    sought = {"text": "a text of a reason", "value": "a value in a payload"}
    unindexed = crew.ask("lists", "needle", what="value", needle=needle, number=size.views)
    table.add("a value in a payload, no index", ours, median(unindexed))
    crew.ask("lists", "index")
    for what, system in in_turns(sought, WRITERS, size.repetitions):
        peer, times = ("lists", size.views) if system == ours else ("source_design", 1)
        took = crew.ask(peer, "needle", what=what, needle=needle, number=times)
        table.add(sought[what], system, median(took))
    goals = [
        Goal("C3", f"{sought[what]} / source design", target, table.ratios(sought[what], theirs, ours))
        for what, target in (("text", 500), ("value", 1_000))
    ]
    slowest = Goal("C3", "slowest page without an index, ms", 1_000, [max(unindexed)], at_most=True)
    report.add(table, [*goals, slowest])


def writes(crew: Crew, report: Report) -> None:
    """C4: dead letters come in beside those that are there."""
    table = Table("New dead letters", "rows/s")
    copied = crew.size.copied
    rows = {f"COPY of {copied:,}": ("copy", copied), "one by one": ("single", copied // SINGLES)}
    for row, system in in_turns(rows, WRITERS, crew.size.repetitions):
        do, number = rows[row]
        table.add(row, system, crew.ask("writers", do, whose=system, number=number))
    report.add(
        table,
        [
            Goal("C4", f"{row} / source design's table", INTAKE[do], table.ratios(row, *WRITERS))
            for row, (do, _number) in rows.items()
        ],
    )
