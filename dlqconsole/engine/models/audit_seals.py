"""What proves that the audit log is what it was."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from dlqconsole.engine.models._checks import readable


class AuditSeal(models.Model):
    """A block of audit entries under a key that the database does not have. Each seal holds the last one."""

    number = models.BigIntegerField(primary_key=True, db_comment="1, 2, 3, …: none is left out")
    above = models.BigIntegerField(db_comment="the block: rows with an id above this one …")
    up_to = models.BigIntegerField(db_comment="… and up to this one, all that there will ever be")
    count = models.IntegerField()
    columns = ArrayField(models.TextField(), db_comment="of audit_log, as they were then; id is the first")
    content = models.BinaryField(db_comment="sha256 of the rows, as COPY writes them in UTC")
    marks = models.BinaryField(
        db_comment="for each row its id, and four bytes of each further column: which one differs"
    )
    next_up_to = models.BigIntegerField(db_comment="the next block ends here, once waits_for have ended")
    waits_for = ArrayField(
        models.TextField(),
        db_comment="virtual transactions that had written to audit_log and not yet committed",
    )
    at = models.DateTimeField()
    key_name = models.CharField(max_length=16, db_comment="which key; says nothing about it")
    previous = models.BinaryField(db_comment="the hash of the seal before; empty for the first")
    hash = models.BinaryField(db_comment="HMAC-SHA256 of all the other columns")

    class Meta:
        db_table = "audit_seals"
        db_table_comment = (
            "Blocks of audit_log under a key that the database does not have. Each seal holds the one before."
        )
        constraints = [models.CheckConstraint(condition=readable("at"), name="audit_seals_moments")]

    def __str__(self) -> str:
        return f"seal {self.number}, up to row {self.up_to}"
