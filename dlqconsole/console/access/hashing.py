"""The hashing of passwords."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2(Argon2PasswordHasher):
    """Argon2id with OWASP's 19 MiB and two passes.

    Django's own takes 100 MiB for each password that is compared: eight at once are more than a small
    container has.
    """

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
