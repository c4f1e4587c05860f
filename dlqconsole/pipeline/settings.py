"""What the environment says, read once."""

from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe

from dlqconsole.configuration.demo_environment import data_directory
from dlqconsole.processing.breakers import DEFAULT_RULES, Rules
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.pacing import DEFAULT_BOUNDS, Bounds
from dlqconsole.processing.sampling import SamplePolicy, Sampling

from .errors import BadRequest


@dataclass(frozen=True, slots=True)
class Archiving:
    """Where the archive is, and after how many days what goes there or leaves it; 0: never."""

    folder: Path = Path("archive")
    after_days: int = 0
    records_after_days: int = 0
    keep_days: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a job needs to know; travels to the workers."""

    database_url: str
    handlers: str
    reports: str
    data: Path
    spark_master: str
    spark_memory: str
    limits: Limits
    # seconds; the schedule's first backoff
    backoff_base: int
    # seconds one event may take
    handler_timeout: int
    # bytes a process may need for its handlers; 0: no limit
    handler_memory: int = 0
    breaker: Rules = DEFAULT_RULES
    sampling: Sampling | None = None
    # for what fails again, without a number of its own
    max_retries: int = 240
    # seconds
    backoff_cap: int = 21_600
    # the row of who asked for this run; None: it begins one of its own
    adopted_run: int | None = None
    # how slow and how fast what comes back is tried again; None: nothing slows it down
    pace: Bounds | None = None
    archive: Archiving = Archiving()
    # the file with properties of Kafka's clients; empty: none
    kafka_config: str = ""

    @property
    def on_this_machine(self) -> bool:
        """Whether the workers have our environment and our files, so that it is enough to look here."""
        return self.spark_master == "local" or self.spark_master.startswith("local[")


def read_settings(**instead: str) -> Settings:
    """Read the environment, with that of a running demo. Raises BadRequest, a line for each mistake.

    ``instead``: settings by name that hold in place of the environment's.
    """
    # late: a worker gets Settings sent, and needs nothing that reads them
    from dlqconsole.configuration import reading

    try:
        # nothing here signs, so that another secret does as well
        given = reading.read_settings(**{**instead, "SECRET_KEY": token_urlsafe(50)})
    except reading.BadSettings as problem:
        raise BadRequest(str(problem)) from None
    return Settings(
        # a run's locks and settings are its session's
        database_url=(given.DLQ_DIRECT_DATABASE_URL or given.DATABASE_URL).get_secret_value(),
        handlers=given.DLQ_HANDLERS,
        reports=given.DLQ_REPORTS,
        data=data_directory(),
        spark_master=given.SPARK_MASTER,
        spark_memory=given.SPARK_DRIVER_MEMORY,
        limits=Limits(given.DLQ_MAX_PAYLOAD_BYTES),
        backoff_base=given.DLQ_RETRY_BACKOFF_BASE,
        max_retries=given.DLQ_RETRY_MAX_RETRIES,
        backoff_cap=given.DLQ_RETRY_BACKOFF_CAP,
        handler_timeout=given.DLQ_HANDLER_TIMEOUT,
        handler_memory=given.DLQ_HANDLER_MEMORY * 1024**2,
        breaker=Rules(given.DLQ_BREAKER_FAILURES),
        sampling=Sampling(SamplePolicy(given.DLQ_SAMPLE_ONE_IN, masked=True), tuple(given.DLQ_MASKED_KEYS)),
        pace=DEFAULT_BOUNDS if given.DLQ_PACE_ENABLED else None,
        archive=Archiving(
            given.DLQ_ARCHIVE_DIR,
            given.DLQ_ARCHIVE_AFTER_DAYS,
            given.DLQ_ARCHIVE_RECORDS_AFTER_DAYS,
            given.DLQ_ARCHIVE_KEEP_DAYS,
        ),
        kafka_config=given.DLQ_KAFKA_CONFIG,
    )
