"""The settings of the archive."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from dlqconsole.configuration.demo_environment import data_directory
from dlqconsole.configuration.fields import CENTURY, number

Folder = Annotated[Path, AfterValidator(Path.absolute)]


class FeatureSettings(BaseModel):
    """The archive's folder, and the days until something goes there or leaves it."""

    DLQ_ARCHIVE_AFTER_DAYS: int = number(
        90, 0, CENTURY, "days until an unchanged DISCARDED or SUCCEEDED dead letter is archived; 0: never"
    )
    DLQ_ARCHIVE_RECORDS_AFTER_DAYS: int = number(
        0, 0, CENTURY, "days until a handler's record is archived; 0: never"
    )
    DLQ_ARCHIVE_KEEP_DAYS: int = number(0, 0, CENTURY, "days that a file of the archive is kept; 0: for ever")
    DLQ_ARCHIVE_DIR: Folder = Field(
        default_factory=lambda: data_directory() / "archive",
        description="the archive's folder, the same for web and pipeline",
        json_schema_extra={"shown": "`archive` in `DLQ_DATA_DIR`"},
    )
