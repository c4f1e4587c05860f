"""What the environment says, read once."""

import os
from dataclasses import dataclass
from pathlib import Path

from dlqconsole.runtime.environment import data_directory, load_demo_environment

from .errors import BadRequest

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a job needs to know; travels to the workers."""

    database_url: str
    handlers: str
    reports: str
    data: Path
    spark_master: str
    spark_memory: str
    max_payload_bytes: int
    # seconds; the schedule's first backoff
    backoff_base: int
    # seconds one event may take
    handler_timeout: int


def read_settings() -> Settings:
    """Read the environment, with that of a running demo. Raises BadRequest with a sentence."""
    load_demo_environment()
    return Settings(
        database_url=_required("DATABASE_URL", "for example postgres://user@host/database"),
        handlers=os.environ.get("DLQ_HANDLERS", ""),
        reports=os.environ.get("DLQ_REPORTS", ""),
        data=data_directory(),
        spark_master=os.environ.get("SPARK_MASTER") or "local[*]",
        spark_memory=os.environ.get("SPARK_DRIVER_MEMORY") or "1g",
        max_payload_bytes=_whole_number("DLQ_MAX_PAYLOAD_BYTES", MEBIBYTE, 256 * MEBIBYTE),
        backoff_base=_whole_number("DLQ_RETRY_BACKOFF_BASE", 60, 86_400),
        handler_timeout=_whole_number("DLQ_HANDLER_TIMEOUT", 30, 86_400),
    )


def _required(name: str, hint: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise BadRequest(f"{name} is not set ({hint}), and no demo is running in this checkout")
    return value


def _whole_number(name: str, default: int, most: int) -> int:
    text = os.environ.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
        raise BadRequest(f"{name} is {text!r}; it must be a whole number between 1 and {most:,}")
    return int(text)
