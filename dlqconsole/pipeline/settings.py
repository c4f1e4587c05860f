"""What the environment says, read once."""

from dataclasses import dataclass
from pathlib import Path

from dlqconsole.configuration.demo_environment import data_directory
from dlqconsole.configuration.setting import Reader
from dlqconsole.processing.breakers import DEFAULT_RULES, Rules
from dlqconsole.processing.limits import Limits

from .errors import BadRequest


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


def read_settings() -> Settings:
    """Read the environment, with that of a running demo. Raises BadRequest, a sentence a mistake."""
    # late: a worker gets Settings sent, and needs nothing that reads them
    from dlqconsole.configuration import reading

    try:
        given = reading.read_settings(Reader.PIPELINE)
    except reading.BadSettings as problem:
        raise BadRequest(str(problem)) from None
    return Settings(
        database_url=given.text("DATABASE_URL"),
        handlers=given.text("DLQ_HANDLERS"),
        reports=given.text("DLQ_REPORTS"),
        data=data_directory(),
        spark_master=given.text("SPARK_MASTER"),
        spark_memory=given.text("SPARK_DRIVER_MEMORY"),
        limits=Limits(
            given.number("DLQ_MAX_PAYLOAD_BYTES"),
            given.number("DLQ_MAX_PAYLOAD_KEYS"),
            given.number("DLQ_MAX_RECORD_BYTES"),
        ),
        backoff_base=given.number("DLQ_RETRY_BACKOFF_BASE"),
        handler_timeout=given.number("DLQ_HANDLER_TIMEOUT"),
        handler_memory=given.number("DLQ_HANDLER_MEMORY") * 1024**2,
        breaker=Rules(
            given.number("DLQ_BREAKER_FAILURES"),
            given.number("DLQ_BREAKER_SHARE"),
            given.number("DLQ_BREAKER_SUCCESSES"),
            given.number("DLQ_BREAKER_FIRST_PAUSE"),
            given.number("DLQ_BREAKER_LONGEST_PAUSE"),
        ),
    )
