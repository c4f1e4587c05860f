"""python -m dlqconsole.pipeline report"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from datetime import date

from dlqconsole.pipeline.running.command import Command
from dlqconsole.pipeline.settings import Settings
from dlqconsole.processing.inputs.times import as_day


def _add_arguments(parser: ArgumentParser) -> None:
    days = parser.add_mutually_exclusive_group()
    days.add_argument(
        "--day", type=_day, action="append", metavar="YYYY-MM-DD", help="only this day; repeatable"
    )
    days.add_argument("--all", action="store_true", help="every day there is (the default)")
    days.add_argument(
        "--open",
        action="store_true",
        help="the days that are over, and new or changed since they were computed",
    )
    days.add_argument("--verify", metavar="DIR", help="compute nothing: compare files with their manifest")
    parser.add_argument("--name", action="append", metavar="REPORT", help="only this report; repeatable")
    parser.add_argument("--output", metavar="DIR", help="where the Parquet files go")


def _run(settings: Settings, options: Namespace) -> int:
    if options.verify:
        from .manifest import verify

        return verify(options.verify)
    from .job import report

    days, names = options.day, options.name
    return report(settings, days=days, names=names, output=options.output, open_days=options.open)


def _day(text: str) -> date:
    day = as_day(text)
    if day is None:
        raise ArgumentTypeError(f"{text!r} is not a day like 2013-06-30")
    return day


COMMAND = Command("report", "compute the failure report, and those of DLQ_REPORTS", _add_arguments, _run)
