"""Complete the registry of planes, so that the flights of a plane can be revived."""

import csv
import fcntl
import io
from pathlib import Path

from .files import replacing


class FleetError(Exception):
    """The plane cannot be added; the message says why."""


def add_plane(
    planes: Path, tailnum: str, *, model: str, seats: int, year: int | None, manufacturer: str | None
) -> None:
    """Append one plane to planes.csv, in one step for whoever reads it. Raises FleetError."""
    if not tailnum.strip() or seats < 1:
        raise FleetError("a plane needs a tail number and at least one seat")
    if not planes.exists():
        raise FleetError(f"there is no {planes}: run `python -m examples.flights prepare` first")
    values = {"tailnum": tailnum.strip().upper(), "model": model, "seats": seats}
    with planes.with_name(f".{planes.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two people adding planes at once must both succeed
        _append(planes, {**values, "year": year, "manufacturer": manufacturer})


def _append(planes: Path, values: dict[str, object]) -> None:
    text = planes.read_text(encoding="utf-8")
    table = csv.DictReader(io.StringIO(text))
    columns = table.fieldnames or ()
    if any(row["tailnum"] == values["tailnum"] for row in table):
        raise FleetError(f"{values['tailnum']} is in the planes table already")
    line = io.StringIO()
    cells = {name: "NA" if values.get(name) in (None, "") else values[name] for name in columns}
    csv.DictWriter(line, columns, lineterminator="\n").writerow(cells)
    with replacing(planes) as file:
        file.write(f"{text}{'' if text.endswith('\n') else '\n'}{line.getvalue()}".encode())
