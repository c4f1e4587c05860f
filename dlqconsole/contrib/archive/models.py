"""The archive's files, their contents, and the dead letters that came back from it."""

from django.contrib.postgres.fields import BigIntegerRangeField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models.functions import Now


class FileState(models.TextChoices):
    """``leaving``: another file took its place, or its time is over, and it may still lie there."""

    WRITING = "writing"
    KEPT = "kept"
    LEAVING = "leaving"
    GONE = "gone"


class ArchiveFile(models.Model):
    """One Parquet file of one day and event type, and what proves that it is what was written."""

    kind = models.CharField(max_length=32)
    state = models.CharField(max_length=8, choices=FileState, db_default=FileState.WRITING)
    path = models.TextField()
    day = models.DateField()
    event_type = models.CharField(max_length=255)
    rows = models.IntegerField(db_default=0)
    ids = BigIntegerRangeField(null=True, db_default=None)
    keys = models.BinaryField(db_default=b"")
    checksum = models.TextField(db_default="")
    sha256 = models.TextField(db_default="")
    bytes = models.BigIntegerField(db_default=0)
    schema_version = models.SmallIntegerField(db_default=1)
    archived_at = models.DateTimeField(db_default=Now())
    gone_at = models.DateTimeField(null=True, db_default=None)

    class Meta:
        managed = False
        db_table = "archive_files"

    def __str__(self) -> str:
        return self.path


class ArchiveCount(models.Model):
    """The number of a file's rows on a queue and in a status. No file is opened to count them."""

    file = models.ForeignKey(ArchiveFile, on_delete=models.CASCADE, db_index=False, related_name="counts")
    queue = models.CharField(max_length=255)
    status = models.CharField(max_length=16, db_default="")
    rows = models.IntegerField()

    class Meta:
        managed = False
        db_table = "archive_counts"

    def __str__(self) -> str:
        return f"{self.rows} {self.status} on {self.queue}"


class ArchiveIdentity(models.Model):
    """The identity of this database: one row, made once. The archive's folder has the same id in its mark."""

    one = models.BooleanField(primary_key=True, db_default=True)
    id = models.UUIDField(db_default=RandomUUID())

    class Meta:
        managed = False
        db_table = "archive_identity"

    def __str__(self) -> str:
        return str(self.id)


class RestoredLetter(models.Model):
    """A dead letter that came back from the archive: it alone may be born closed, and stays for a while."""

    dead_letter_id = models.BigIntegerField(primary_key=True)
    file = models.ForeignKey(ArchiveFile, on_delete=models.CASCADE, db_index=False)
    restored_at = models.DateTimeField(db_default=Now())
    restored_by = models.TextField()

    class Meta:
        managed = False
        db_table = "restored_dead_letters"

    def __str__(self) -> str:
        return f"dead letter {self.dead_letter_id}, restored"
