"""How much is measured: a smoke test's worth, a quick look, or the whole."""

from dataclasses import dataclass

from tests.sizes import SOAK, sized

# Messages a second that no system here reaches on two cores, by batch: a queue must not run dry too early.
FASTEST = {
    "limit": {1: 12_000, 10: 60_000, 100: 170_000},
    "ours": {1: 8_000, 10: 30_000, 100: 60_000},
    "consumer": {1: 6_000, 10: 12_000, 100: 16_000},
    "pgmq": {1: 8_000, 10: 25_000, 100: 60_000},
    "pgmq_autocommit": {1: 8_000, 10: 25_000, 100: 60_000},
    "pgqueuer": {1: 2_500, 10: 10_000, 100: 25_000},
    "procrastinate": {1: 1_500, 10: 1_500, 100: 1_500},
    "celery_prefork": {1: 2_000, 10: 2_000, 100: 2_000},
}


@dataclass(frozen=True, slots=True)
class Size:
    """One scale. ``seconds`` a cell is measured for, after ``warm`` seconds that do not count."""

    seconds: float
    warm: float
    repetitions: int
    small: int  # messages of a small backlog
    backlog: int
    scheduled: int
    churn: int
    wakes: int
    races: int
    producers: int
    letters: int  # dead letters that one operation moves
    letter_runs: int  # repetitions of that: at a million each takes a minute
    loop: int  # of them moved one by one
    watch: float  # seconds a claimer is watched with nobody beside it
    views: int  # pages asked for, and figures read
    copied: int  # dead letters of one COPY
    exported: int
    due: int  # dead letters of which a tenth is due
    retries: int  # of a no-op handler in one cell; a twentieth of them where it takes 20 ms
    slow: int  # half-second events beside quick ones
    events: int  # brought in by each door of the pipeline
    crowd: int = 4  # consumers at once
    durable: bool = True  # what is committed is on the disk

    def fill(self, system: str, batch: int) -> int:
        """How many messages a system needs for one cell."""
        # pgbench counts in whole seconds, unless it is only tried
        whole = max(1.0, self.seconds) if system == "limit" and self.seconds > 0.5 else self.seconds
        return int(FASTEST[system][batch] * (whole + self.warm) * 1.1) + 10 * batch


# each queue is filled with what no system works off in all the seconds: of a tenth, that is most of the work
_TENTHS = sized(3, 10)
TINY = Size(
    0.01 * _TENTHS, 0.002 * _TENTHS, 1, 500, 1_000, 500, 1_000, 3, 10, 2,
    letters=sized(200, 600), letter_runs=1, loop=20, watch=0.2, views=2, copied=200, exported=200, crowd=2,
    due=sized(500, 2_000), retries=sized(40, 60), slow=6, events=2_000, durable=SOAK,
)  # fmt: skip
QUICK = Size(
    0.7, 0.2, 2, 20_000, 200_000, 50_000, 50_000, 40, 2_000, 8,
    letters=20_000, letter_runs=2, loop=500, watch=3, views=5, copied=20_000, exported=20_000,
    due=500_000, retries=4_000, slow=20, events=60_000,
)  # fmt: skip
WHOLE = Size(
    1.0, 0.25, 4, 40_000, 1_000_000, 300_000, 300_000, 150, 100_000, 8,
    letters=1_000_000, letter_runs=1, loop=2_000, watch=8, views=11, copied=20_000, exported=20_000,
    due=10_000_000, retries=5_000, slow=60, events=1_098_639,
)  # fmt: skip
