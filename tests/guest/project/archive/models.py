from django.contrib.auth.models import AbstractUser
from django.db import models


class Clerk(AbstractUser):
    """An account of this project: its numbers are bigint, its name is an address, its class is no User."""

    username = None
    login = models.EmailField("address", unique=True, db_column="sign_in")

    USERNAME_FIELD = "login"
    REQUIRED_FIELDS = ()

    class Meta:
        db_table = "clerks"


class Queue(models.Model):
    """A table that is called as one of the console's."""

    place = models.CharField(max_length=20)

    class Meta:
        db_table = "queues"

    def __str__(self) -> str:
        return self.place
