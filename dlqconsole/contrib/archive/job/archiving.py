"""The settings of the archive's job."""

from dataclasses import dataclass
from pathlib import Path

from dlqconsole.contrib.archive.settings import FeatureSettings
from dlqconsole.pipeline.settings import read_environment


@dataclass(frozen=True, slots=True)
class Archiving:
    """The archive's folder, and the days until something goes there or leaves it; 0: never."""

    folder: Path
    after_days: int = 0
    records_after_days: int = 0
    keep_days: int = 0


def read_archiving() -> Archiving:
    """Read the environment, with that of a running demo. Raises BadRequest, a line for each mistake."""
    environment = read_environment()
    assert isinstance(environment, FeatureSettings)  # noqa: S101 - all settings have those of the features
    return Archiving(
        environment.DLQ_ARCHIVE_DIR,
        environment.DLQ_ARCHIVE_AFTER_DAYS,
        environment.DLQ_ARCHIVE_RECORDS_AFTER_DAYS,
        environment.DLQ_ARCHIVE_KEEP_DAYS,
    )
