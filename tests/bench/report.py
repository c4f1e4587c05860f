"""What was measured beside what we set out to reach. A miss is printed as a miss."""

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from statistics import median
from typing import Any

type Rates = dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Goal:
    """One line: an identifier of ours, what is compared, the target, and each repetition's result."""

    id: str
    what: str
    target: float
    results: Sequence[float]
    at_most: bool = False

    @property
    def result(self) -> float:
        """The median of the repetitions."""
        return median(self.results)

    @property
    def reached(self) -> bool:
        """Whether the median is as good as the target, at the two digits that are printed."""
        result = round(self.result, 2)
        return result <= self.target if self.at_most else result >= self.target


@dataclass(slots=True)
class Table:
    """Figures of one section: systems by rows, each a list of repetitions."""

    title: str
    unit: str
    rows: dict[str, Rates] = field(default_factory=dict)

    def add(self, row: str, system: str, value: float) -> float:
        """Note one repetition."""
        self.rows.setdefault(row, {}).setdefault(system, []).append(value)
        return value

    def ratios(self, row: str, over: str, under: str, under_row: str | None = None) -> list[float]:
        """One system's figures divided by another's, one repetition each; endless beside nothing."""
        pairs = zip(self.rows[row][over], self.rows[under_row or row][under], strict=True)
        return [top / bottom if bottom else inf for top, bottom in pairs]

    def best(self, row: str, systems: Iterable[str]) -> str:
        """The system with the highest median."""
        return max(systems, key=lambda system: median(self.rows[row][system]))


@dataclass(slots=True)
class Report:
    """All of one run."""

    size: str
    goals: list[Goal] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    load_before: tuple[float, ...] = field(default_factory=os.getloadavg)
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))

    def add(self, table: Table, goals: Sequence[Goal]) -> None:
        """A section is done: print it, and keep it."""
        self.tables.append(table)
        self.goals += goals
        print("\n" + figures(table), flush=True)
        if goals:
            print("\n" + goal_lines(goals), flush=True)

    def summary(self) -> str:
        """Every goal, and how many were reached."""
        reached = sum(goal.reached for goal in self.goals)
        return f"{goal_lines(self.goals)}\n\n{reached} of {len(self.goals)} reached. {self.circumstances()}"

    def circumstances(self) -> str:
        """What a reader must know to judge the figures."""
        load = ", ".join(f"{value:.1f}" for value in self.load_before)
        return (
            f"{self.begun:%Y-%m-%d %H:%M} UTC, size {self.size}, {os.cpu_count()} cores "
            f"({platform.machine()}), load average before: {load}."
        )

    def as_json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "begun": self.begun.isoformat(),
            "size": self.size,
            "cores": os.cpu_count(),
            "machine": platform.machine(),
            "load_before": self.load_before,
            "goals": [_goal_as_json(goal) for goal in self.goals],
            "tables": [
                {"title": table.title, "unit": table.unit, "rows": table.rows} for table in self.tables
            ],
        }


def goal_lines(goals: Sequence[Goal]) -> str:
    """One line a goal: target and result side by side."""
    width = max([len(goal.what) for goal in goals], default=0)
    return "\n".join(goal_line(goal, width) for goal in goals)


def goal_line(goal: Goal, width: int) -> str:
    """Name, comparison, target, median, verdict, and the least and the most of the repetitions."""
    target = f"{'≤' if goal.at_most else '≥'} {goal.target:<6g}"
    verdict = "reached" if goal.reached else "missed"
    spread = f"{min(goal.results):.2f}-{max(goal.results):.2f}"
    return f"{goal.id:<4} {goal.what:<{width}}  {target} {goal.result:>7.2f}  {verdict:<7}  {spread}"


def figures(table: Table) -> str:
    """A section's medians, a system a column."""
    systems = list(dict.fromkeys(system for rates in table.rows.values() for system in rates))
    width = max(len(row) for row in table.rows) + 2
    widths = {system: max(16, len(system) + 2) for system in systems}
    names = "".join(f"{system:>{widths[system]}}" for system in systems)
    head = f"{table.title} ({table.unit}; median)\n" + " " * width + names
    lines = [
        f"{row:<{width}}" + "".join(f"{_number(rates.get(system)):>{widths[system]}}" for system in systems)
        for row, rates in table.rows.items()
    ]
    return "\n".join([head, *lines])


def _number(values: Sequence[float] | None) -> str:
    if not values:
        return "-"
    middle = median(values)
    return f"{middle:,.0f}" if middle >= 100 else f"{middle:.2f}"


def _goal_as_json(goal: Goal) -> dict[str, Any]:
    return {
        "id": goal.id,
        "what": goal.what,
        "target": goal.target,
        "at_most": goal.at_most,
        "result": goal.result,
        "reached": goal.reached,
        "repetitions": list(goal.results),
    }
