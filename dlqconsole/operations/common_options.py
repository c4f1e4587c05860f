"""The options that most kinds of operations have: the rate, the canary, and the like."""

from collections.abc import Mapping

from dlqconsole.operations.options import Option
from dlqconsole.processing.inputs.fields import Switch, WholeNumber

RATE = Option(
    field=WholeNumber(
        name="rate",
        what="The rate",
        label="Rate, at most so many a second",
        help="at most so many items a second",
        placeholder="as fast as it goes",
        is_required=False,
        low=1,
        high=100_000,
    ),
    words=lambda rate: f"{rate:,} a second at most" if rate else "",
)


def _canary_words(canary: Mapping[str, int] | None) -> str:
    if not canary:
        return ""
    return (
        f"{canary['probes']} first, each stage watched for {canary['watch_seconds']} s,"
        f" halting when more than {canary['threshold']} % come back"
    )


THRESHOLD = WholeNumber(
    name="threshold",
    what="The share that may come back, in percent,",
    label="Halt above, in percent",
    help="with a canary: halt when more than P percent come back (10)",
    metavar="P",
    is_required=False,
    nothing=10,
    low=0,
    high=100,
)
CANARY = Option(
    field=Switch(
        name="canary",
        label="Canary: a few first, then 1 %, 10 % and the rest",
        help="a few first, then 1 %, 10 %, the rest",
    ),
    parts=(
        WholeNumber(
            name="probes",
            what="The number of probes",
            label="Probes",
            help="with a canary: so many first (5)",
            is_required=False,
            nothing=5,
            low=1,
            high=100,
        ),
        THRESHOLD,
        WholeNumber(
            name="watch_seconds",
            what="The time to watch, in seconds,",
            label="Watch, in seconds",
            help="with a canary: watch each stage so many seconds (60)",
            metavar="S",
            is_required=False,
            nothing=60,
            low=1,
            high=3_600,
        ),
    ),
    words=_canary_words,
)

COME_BACKS_TOO = Option(
    field=Switch(
        name="come_backs_too",
        label="Also what keeps coming back, and is otherwise left to a person",
        help="also what keeps coming back",
    ),
    recounts=True,
    by_rule=False,
    words=lambda is_on: "also what keeps coming back" if is_on else "",
)

FULL_SPEED = Option(
    field=Switch(
        name="full_speed",
        label="At full speed: not slower by itself while much of it comes back",
        help="do not slow down while much comes back",
    ),
    by_rule=False,
    words=lambda is_on: "at full speed, whatever comes back" if is_on else "",
)
