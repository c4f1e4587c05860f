"""How far the pipeline has read each file: a ledger that saves time, and on which nothing else depends."""

from django.db import models
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable


class IngestedFile(models.Model):
    """Whole lines of a file whose events are in their tables."""

    place = models.UUIDField(db_comment="the same for the same name in the same folder")
    family = models.UUIDField(db_comment="the same for a file and what rotation and packing make of it")
    root = models.TextField(db_comment="the folder that was asked for")
    seen_as = models.TextField(db_comment="the file's path in it")
    known_as = models.TextField(db_comment="the path that names its events; another once it was rotated")
    inode = models.BigIntegerField()
    size = models.BigIntegerField(db_comment="bytes on the disk")
    modified_ns = models.BigIntegerField()
    changed_ns = models.BigIntegerField()
    whole = models.BooleanField(
        db_comment="nothing was left to read; a file that looks the same need not be opened"
    )
    start_byte = models.BigIntegerField()
    end_byte = models.BigIntegerField(db_comment="done up to here; of a packed file, in what it holds")
    end_line = models.BigIntegerField(db_comment="lines of the file up to there")
    digest = models.UUIDField(db_comment="of all of the file up to there")
    run_id = models.BigIntegerField(db_comment="the pipeline run that read them")
    created_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now(), db_comment="to a day; after 90 days the row goes")

    class Meta:
        db_table = "ingested_files"
        db_table_comment = "How far the pipeline has read each file. To lose it costs time only."
        constraints = [
            models.CheckConstraint(
                condition=readable("created_at", "seen_at"), name="ingested_files_moments"
            ),
        ]
        indexes = [
            models.Index(fields=["place"], name="ingested_files_place"),
            models.Index(fields=["family"], name="ingested_files_family"),
            models.Index(fields=["inode"], name="ingested_files_inode"),
            models.Index(fields=["seen_at"], name="ingested_files_seen"),
        ]

    def __str__(self) -> str:
        return f"{self.seen_as}, lines up to {self.end_line:,}"
