"""The pipeline's settings, read once from the environment."""

import os
from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING
from urllib.parse import quote

from dlqconsole.configuration.demo_environment import data_directory
from dlqconsole.core.flow.breakers import DEFAULT_RULES, Rules
from dlqconsole.core.flow.judging import DEFAULT_BOUNDS, Bounds
from dlqconsole.core.successes import Keeper
from dlqconsole.features import success_keepers
from dlqconsole.processing.limits import Limits

from .errors import BadRequest

if TYPE_CHECKING:
    from dlqconsole.configuration.settings import Settings as Environment


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a job; they travel to the workers."""

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
    success_keepers: tuple[Keeper, ...] = ()
    # for failures without a number of their own
    max_retries: int = 240
    # seconds
    backoff_cap: int = 21_600
    # the row of the person's request for this run; None: it begins a row of its own
    adopted_run: int | None = None
    # the slowest and the fastest pace of failure groups that fail again; None: nothing slows them down
    pace: Bounds | None = None
    # the file with properties of Kafka's clients; empty: none
    kafka_config: str = ""

    @property
    def on_this_machine(self) -> bool:
        """Tell whether the workers have our environment and our files, so that it is enough to look here."""
        return self.spark_master == "local" or self.spark_master.startswith("local[")


def read_settings(**instead: str) -> Settings:
    """Read the environment, with that of a running demo. Raises BadRequest, a line for each mistake.

    ``instead``: settings by name that hold in place of the environment's.
    """
    environment = read_environment(**instead)
    return Settings(
        # a run's locks and settings are its session's
        database_url=_database_url(environment),
        handlers=environment.DLQ_HANDLERS,
        reports=environment.DLQ_REPORTS,
        data=data_directory(),
        spark_master=environment.SPARK_MASTER,
        spark_memory=environment.SPARK_DRIVER_MEMORY,
        limits=Limits(environment.DLQ_MAX_PAYLOAD_BYTES),
        backoff_base=environment.DLQ_RETRY_BACKOFF_BASE,
        max_retries=environment.DLQ_RETRY_MAX_RETRIES,
        backoff_cap=environment.DLQ_RETRY_BACKOFF_CAP,
        handler_timeout=environment.DLQ_HANDLER_TIMEOUT,
        handler_memory=environment.DLQ_HANDLER_MEMORY * 1024**2,
        breaker=Rules(environment.DLQ_BREAKER_FAILURES),
        success_keepers=success_keepers(environment),
        pace=DEFAULT_BOUNDS if environment.DLQ_PACE_ENABLED else None,
        kafka_config=environment.DLQ_KAFKA_CONFIG,
    )


def read_environment(**instead: str) -> "Environment":
    """Read all settings, those of the features too, as ``read_settings`` does."""
    # late: a worker gets Settings sent, and needs nothing that reads them
    from dlqconsole.configuration import reading

    try:
        # nothing here signs, so that another secret does as well
        return reading.read_settings(**{**instead, "SECRET_KEY": token_urlsafe(50)})
    except reading.BadSettings as problem:
        raise BadRequest(str(problem)) from None


def _database_url(environment: "Environment") -> str:
    """The address of PostgreSQL itself, with the schema of the tables."""
    url: str = (environment.DLQ_DIRECT_DATABASE_URL or environment.DATABASE_URL).get_secret_value()
    if environment.DLQ_SCHEMA == "public":
        return url
    path = quote(f"-c search_path={environment.DLQ_SCHEMA},pg_temp")
    return f"{url}{'&' if '?' in url else '?'}options={path}"


def have_a_secret() -> None:
    """Give this process a random SECRET_KEY of its own, unless the environment has one.

    Django's settings need one wherever a handler loads them. Nobody else believes its signatures.
    """
    if not os.environ.get("SECRET_KEY"):
        os.environ["SECRET_KEY"] = token_urlsafe(50)
