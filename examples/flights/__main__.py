"""The demo's own commands: python -m examples.flights prepare | load | trickle | weather | add-plane."""

import argparse
import sys

from .fleet import FleetError, add_plane
from .places import data_directory
from .preparation import prepare
from .source import SourceMissingError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; an expected problem is one line on stderr and exit status 1."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (SourceMissingError, FleetError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.flights", description=__doc__)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("prepare", help="write the lookup tables and the events")
    command.set_defaults(run=_prepare)
    command = commands.add_parser("load", help="ingest the events through Spark, and report on them")
    command.set_defaults(run=_load)
    command = commands.add_parser("trickle", help="send the flights of one day again, slowly")
    command.add_argument("--every", type=_seconds, default=2.0, metavar="SECONDS")
    command.set_defaults(run=_trickle)
    command = commands.add_parser("weather", help="answer for the weather, as another system would")
    command.add_argument("--port", type=int, default=8090)
    command.set_defaults(run=_weather)
    command = commands.add_parser("add-plane", help="add a plane to the registry")
    command.add_argument("tailnum")
    command.add_argument("--model", required=True)
    command.add_argument("--seats", required=True, type=int)
    command.add_argument("--year", type=int)
    command.add_argument("--manufacturer")
    command.set_defaults(run=_add_plane)
    return parser


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < 86_400:
        raise argparse.ArgumentTypeError("must be between 0 and a day")
    return seconds


def _prepare(options: argparse.Namespace) -> int:
    directory = data_directory()
    files = prepare(directory)
    print(f"{len(files)} files written, the others kept, in {directory}")
    return 0


def _load(_options: argparse.Namespace) -> int:
    from .loading import load  # only this command needs the pipeline

    return load(data_directory() / "events")


def _trickle(options: argparse.Namespace) -> int:
    from .trickle import NoDatabaseError, trickle  # only this command needs psycopg

    try:
        trickle(data_directory(), options.every)
    except NoDatabaseError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _weather(options: argparse.Namespace) -> int:
    from .handlers import WEATHER_BY_HOUR
    from .weather import serve

    with serve(WEATHER_BY_HOUR, options.port) as service:
        print(f"FLIGHTS_WEATHER_URL=http://127.0.0.1:{service.server_port}", flush=True)
        try:
            service.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0


def _add_plane(options: argparse.Namespace) -> int:
    planes = data_directory() / "planes.csv"
    add_plane(
        planes,
        options.tailnum,
        model=options.model,
        seats=options.seats,
        year=options.year,
        manufacturer=options.manufacturer,
    )
    print(f"{options.tailnum.strip().upper()} is now in {planes}: its flights can be revived")
    return 0


if __name__ == "__main__":
    sys.exit(main())
