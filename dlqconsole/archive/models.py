"""What lies in the archive: its files, what each holds, and the dead letters that came back from it."""

from django.contrib.postgres.fields import BigIntegerRangeField
from django.contrib.postgres.functions import RandomUUID
from django.contrib.postgres.indexes import GistIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from dlqconsole.engine.models._checks import readable


class FileState(models.TextChoices):
    """``leaving``: another file took its place, or its time is over, and it may still lie there."""

    WRITING = "writing"
    KEPT = "kept"
    LEAVING = "leaving"
    GONE = "gone"


class ArchiveFile(models.Model):
    """One Parquet file of one day and event type, and what proves that it is what was written."""

    kind = models.CharField(max_length=32, db_comment='"dead_letters", "enriched_events"')
    state = models.CharField(
        max_length=8,
        choices=FileState,
        db_default=FileState.WRITING,
        db_comment='"writing" until its rows have left their table, "kept", "leaving" until it is "gone"',
    )
    path = models.TextField(db_comment="below DLQ_ARCHIVE_DIR")
    day = models.DateField(db_comment="on which its rows were made, in UTC")
    event_type = models.CharField(max_length=255)
    rows = models.IntegerField(db_default=0)
    ids = BigIntegerRangeField(
        null=True, db_default=None, db_comment="the least and the greatest of its rows"
    )
    keys = models.BinaryField(
        db_default=b"", db_comment="a Bloom filter of its rows' sources and source keys (archive/keys.py)"
    )
    checksum = models.TextField(
        db_default="", db_comment="of the rows in any order, as PostgreSQL computed it before they went"
    )
    sha256 = models.TextField(db_default="", db_comment="of the file")
    bytes = models.BigIntegerField(db_default=0)
    schema_version = models.SmallIntegerField(db_default=1)
    archived_at = models.DateTimeField(db_default=Now())
    gone_at = models.DateTimeField(null=True, db_default=None)

    class Meta:
        db_table = "archive_files"
        db_table_comment = "One Parquet file of the archive, and what proves that it is what was written."
        constraints = [
            models.UniqueConstraint(fields=["path"], name="archive_files_path"),
            models.CheckConstraint(condition=Q(state__in=FileState.values), name="archive_files_state"),
            models.CheckConstraint(condition=readable("archived_at"), name="archive_files_moments"),
        ]
        indexes = [
            GistIndex(fields=["ids"], condition=Q(state="kept"), name="archive_files_ids"),
            models.Index(fields=["state", "archived_at"], name="archive_files_state_archived"),
        ]

    def __str__(self) -> str:
        return self.path


class ArchiveCount(models.Model):
    """How many rows of a file were on a queue and in a status: the archive is counted without opening it."""

    file = models.ForeignKey(ArchiveFile, on_delete=models.CASCADE, db_index=False, related_name="counts")
    queue = models.CharField(max_length=255, db_comment="the event type where a row had none of its own")
    status = models.CharField(max_length=16, db_default="", db_comment="empty for enriched events")
    rows = models.IntegerField()

    class Meta:
        db_table = "archive_counts"
        db_table_comment = "How many rows of an archived file were on a queue and in a status."
        constraints = [
            models.UniqueConstraint(fields=["file", "queue", "status"], name="archive_counts_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rows} {self.status} on {self.queue}"


class ArchiveIdentity(models.Model):
    """Which database this is: one row, made once. The archive's folder has the same id in its mark."""

    one = models.BooleanField(primary_key=True, db_default=True, db_comment="true: there is one row")
    id = models.UUIDField(db_default=RandomUUID())

    class Meta:
        db_table = "archive_identity"
        db_table_comment = "Which database this is, as the mark in the archive's folder says it."
        constraints = [models.CheckConstraint(condition=Q(one=True), name="archive_identity_one")]

    def __str__(self) -> str:
        return str(self.id)


class RestoredLetter(models.Model):
    """A dead letter that came back from the archive: it alone may be born closed, and stays for a while."""

    dead_letter_id = models.BigIntegerField(primary_key=True)
    file = models.ForeignKey(ArchiveFile, on_delete=models.CASCADE, db_index=False)
    restored_at = models.DateTimeField(db_default=Now())
    restored_by = models.TextField(db_comment="the actor")

    class Meta:
        db_table = "restored_dead_letters"
        db_table_comment = (
            "A dead letter that came back from the archive, and is not archived again for a while."
        )
        constraints = [
            models.CheckConstraint(condition=readable("restored_at"), name="restored_dead_letters_moments")
        ]

    def __str__(self) -> str:
        return f"dead letter {self.dead_letter_id}, restored"
