"""python -m dlqconsole.pipeline archive"""

from argparse import ArgumentParser, Namespace

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.command import Command
from dlqconsole.pipeline.settings import Settings

_LONGEST = 36_500


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--older-than",
        type=int,
        metavar="DAYS",
        help="dead letters that are closed and unchanged for so long (default: DLQ_ARCHIVE_AFTER_DAYS)",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would go, and change nothing")


def _run(settings: Settings, options: Namespace) -> int:
    from dlqconsole.contrib.archive.job.job import archive, read_archiving

    if options.older_than is not None and not 0 <= options.older_than <= _LONGEST:
        raise BadRequest(f"--older-than must be between 0 and {_LONGEST:,} days, not {options.older_than:,}")
    return archive(settings, read_archiving(), older_than=options.older_than, dry_run=options.dry_run)


COMMAND = Command("archive", "put what is closed and old into Parquet files", _add_arguments, _run)
