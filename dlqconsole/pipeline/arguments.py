"""The command line."""

import argparse
from collections.abc import Sequence
from datetime import date

from dlqconsole.processing.inputs.moments import as_day

NOT_YET = ("replay", "archive")


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line; ends with status 2 and a line when it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m dlqconsole.pipeline", description="Feed the console with events, and count them."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_ingest(commands)
    _add_report(commands)
    for name in NOT_YET:
        commands.add_parser(name, help="not available in this version").add_argument(
            "rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS
        )
    known, unknown = parser.parse_known_args(arguments)
    if unknown and known.command not in NOT_YET:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return known


def _add_ingest(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("ingest", help="read events from files into the tables")
    command.add_argument(
        "--source", required=True, metavar="PATH", help="a file, or a folder of .jsonl, .ndjson, .json, .gz"
    )
    command.add_argument("--once", action="store_true", help="end when all is read; else watch the folder")


def _add_report(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("report", help="compute the daily reports of DLQ_REPORTS")
    days = command.add_mutually_exclusive_group()
    days.add_argument(
        "--day", type=_day, action="append", metavar="YYYY-MM-DD", help="only this day; repeatable"
    )
    days.add_argument("--all", action="store_true", help="every day there is (the default)")
    command.add_argument("--name", action="append", metavar="REPORT", help="only this report; repeatable")
    command.add_argument("--output", metavar="DIR", help="where the Parquet files go")


def _day(text: str) -> date:
    day = as_day(text)
    if day is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day like 2013-06-30")
    return day
