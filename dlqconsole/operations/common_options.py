"""The options that most kinds of operations have: the rate, the canary, and the like."""

from collections.abc import Mapping

from dlqconsole.operations.options import GroupOption, NumberOption, RateOption, SecondsOption, SwitchOption

RATE = RateOption(
    name="rate",
    label="Rate, at most so many a second",
    help="at most so many items a second",
    what="The rate",
    low=1,
    high=100_000,
    default=None,
    placeholder="as fast as it goes",
    words=lambda rate: f"{rate:,} a second at most" if rate else "",
)


def _canary_words(canary: Mapping[str, int] | None) -> str:
    if not canary:
        return ""
    return (
        f"{canary['probes']} first, each stage watched for {canary['watch_seconds']} s,"
        f" halting when more than {canary['threshold']} % come back"
    )


CANARY = GroupOption(
    name="canary",
    label="Canary: a few first, then 1 %, 10 % and the rest",
    help="a few first, then 1 %, 10 %, the rest",
    words=_canary_words,
    former_number="probes",
    options=(
        NumberOption(
            name="probes",
            label="Probes",
            help="with a canary: so many first (5)",
            what="The number of probes",
            low=1,
            high=100,
            default=5,
        ),
        NumberOption(
            name="threshold",
            label="Halt above, in percent",
            help="with a canary: halt when more than P percent come back (10)",
            metavar="P",
            former_flags=("--threshold",),
            what="The share that may come back, in percent,",
            low=0,
            high=100,
            default=10,
        ),
        SecondsOption(
            name="watch_seconds",
            label="Watch, in seconds",
            help="with a canary: watch each stage so many seconds (60)",
            metavar="S",
            formerly=("watch",),
            former_flags=("--watch",),
            what="The time to watch, in seconds,",
            low=1,
            high=3_600,
            default=60,
        ),
    ),
)

COME_BACKS_TOO = SwitchOption(
    name="come_backs_too",
    label="Also what keeps coming back, and is otherwise left to a person",
    help="also what keeps coming back",
    recounts=True,
    by_rule=False,
    words=lambda is_on: "also what keeps coming back" if is_on else "",
)

FULL_SPEED = SwitchOption(
    name="full_speed",
    label="At full speed: not slower by itself while much of it comes back",
    help="do not slow down while much comes back",
    by_rule=False,
    words=lambda is_on: "at full speed, whatever comes back" if is_on else "",
)
