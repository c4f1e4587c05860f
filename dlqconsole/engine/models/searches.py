"""What people may search in: the texts of dead letters with personal data masked, and keyed hashes of it."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Now


class DeadLetterSearch(models.Model):
    """One dead letter's texts as everybody may search them. NULL: the text itself holds nothing personal."""

    dead_letter_id = models.BigIntegerField(primary_key=True)
    names = models.TextField(null=True, db_comment="event type and source key")
    reason = models.TextField(null=True)
    payload = models.TextField(null=True)
    marks = ArrayField(models.BigIntegerField(), db_comment="keyed hashes of the personal values in it")
    rules = models.TextField(db_comment="the rules of masking and the key; others are looked at again")
    searched_at = models.DateTimeField(db_default=Now(), db_comment="when it could be found by a search")

    class Meta:
        db_table = "dead_letter_searches"
        db_table_comment = "Dead letters' texts as everybody may search them: masked, with hashes of what is."
        indexes = [GinIndex(fields=["marks"], name="dead_letter_searches_marks")]

    def __str__(self) -> str:
        return f"what may be searched of dead letter {self.dead_letter_id}"


class UnsearchedDeadLetter(models.Model):
    """A dead letter that is new, or whose texts have changed: nobody has looked at them yet."""

    dead_letter_id = models.BigIntegerField(primary_key=True)

    class Meta:
        db_table = "dead_letter_unsearched"
        db_table_comment = "Dead letters whose texts are not looked at yet; written by triggers."

    def __str__(self) -> str:
        return f"dead letter {self.dead_letter_id} is to be looked at"
