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


def _run(settings: Settings, given: Namespace) -> int:
    if not given.source.strip():
        raise BadRequest("--source is empty: name a file, a folder, or kafka://broker:9092/topic")
    if given.source.startswith("kafka://"):
        return _run_topics(settings, given)
    if given.option or given.revive_to != "retry":
        raise BadRequest("--option and --revive-to are for kafka:// only")
    from .job import ingest

    return ingest(settings, given.source, once=given.once, again=given.again, within=given.within)


def _run_topics(settings: Settings, given: Namespace) -> int:
    from dlqconsole.pipeline.kafka.job import ingest_topics

    if given.within:
        raise BadRequest("--within is for files only")
    if given.again:
        raise BadRequest("--again is for files; topics are read anew from --option startingOffsets")
    chosen = dict(given.option)
    return ingest_topics(settings, given.source, chosen, once=given.once, revive_to=given.revive_to)


COMMAND = Command("ingest", "read events of files or topics into the tables", _add_arguments, _run)
