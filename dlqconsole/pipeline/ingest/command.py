"""python -m dlqconsole.pipeline ingest"""

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.command import Command
from dlqconsole.pipeline.settings import Settings


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--source",
        required=True,
        metavar="PATH",
        help="a file, a folder of JSON lines, packed or not, or kafka://broker:9092/topic[,topic]",
    )
    parser.add_argument("--once", action="store_true", help="end when all is read; else watch the source")
    parser.add_argument(
        "--again", action="store_true", help="read what is known to be done, too: whatever the ledger says"
    )
    parser.add_argument(
        "--within",
        default="",
        metavar="FOLDER",
        help="the folder that --source lies in: below it, no link is followed",
    )
    _add_topics(parser)


def _add_topics(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--option",
        type=_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="of kafka://, as Spark's connector names it: startingOffsets, failOnDataLoss, …; repeatable",
    )
    parser.add_argument(
        "--revive-to",
        default="retry",
        metavar="TOPIC",
        help="where revives of others' dead letters go: retry (the failing group's retry topic where there is"
        " one, else the topic of origin), origin, or a name with {topic} and {group}",
    )


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ArgumentTypeError("an option is NAME=VALUE")
    return name, value


def _run(settings: Settings, options: Namespace) -> int:
    if not options.source.strip():
        raise BadRequest("--source is empty: name a file, a folder, or kafka://broker:9092/topic")
    if options.source.startswith("kafka://"):
        return _run_topics(settings, options)
    if options.option or options.revive_to != "retry":
        raise BadRequest("--option and --revive-to are for kafka:// only")
    from .job import ingest

    return ingest(settings, options.source, once=options.once, again=options.again, within=options.within)


def _run_topics(settings: Settings, options: Namespace) -> int:
    from dlqconsole.pipeline.kafka.job import ingest_topics

    if options.within:
        raise BadRequest("--within is for files only")
    if options.again:
        raise BadRequest("--again is for files; topics are read anew from --option startingOffsets")
    extra = dict(options.option)
    return ingest_topics(settings, options.source, extra, once=options.once, revive_to=options.revive_to)


COMMAND = Command("ingest", "read events of files or topics into the tables", _add_arguments, _run)
