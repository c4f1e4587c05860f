"""The caller of a command: the person of a token, or the user of the shell.

A token comes from the environment or a file, never as an argument: every user of the machine can see
arguments. Without a token the actor is ``cli:`` and the account of the process. The kernel names the account,
not the environment: ``LOGNAME=bob`` makes nobody bob. Such a caller may neither approve an operation nor
request one that needs approval.
"""

import os
import pwd
import stat
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model

from dlqconsole.engine.access_scope import EVERYTHING, ask_as, current_access
from dlqconsole.people import tokens
from dlqconsole.people.current_user import access_of_person
from dlqconsole.people.models import PersonalToken
from dlqconsole.people.roles import may, role_of
from dlqconsole.people.tokens import TokenRefused

_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a command. ``actor``: as stored. ``token``: the proof; None for a user of the machine."""

    actor: str
    token: PersonalToken | None = None

    @property
    def is_proven(self) -> bool:
        """Tell whether this is a person with a token that they made themselves."""
        return self.token is not None and self.token.is_own

    def check(self, least_role: str) -> None:
        """Raise TokenRefused if the token's person lacks the least role."""
        if self.token is None:
            return
        role = role_of(self.token.user_id)
        if not may(role, least_role):
            has = f"is {role} and no {least_role}" if role else "has no role here, or is switched off"
            raise TokenRefused(
                f"The person of the token {self.token.prefix}… {has}: this is not theirs to do."
            )

    def check_unlimited(self, what: str) -> None:
        """Raise TokenRefused where the token's person is limited; ``what`` begins the sentence."""
        if current_access().is_limited:
            raise TokenRefused(f"{what}, and your scope is limited ({current_access().words()}).")


def add_token_option(parser: ArgumentParser, *, of_verb: bool = False) -> None:
    """Declare ``--token-file``. ``of_verb``: a value before the verb stays in force."""
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        default=SUPPRESS if of_verb else None,
        help="who you are: a file with your personal token, readable by you alone; or the setting DLQ_TOKEN",
    )


def caller(options: Mapping[str, Any], least_role: str, command: str = "") -> Caller:
    """Return the caller, checked against a role. ``command``: its name in the audit log, for a change.

    The command then sees what the token's person sees; a user of the shell sees everything in the database.
    Raises TokenRefused: an invalid token is never ignored.
    """
    text = _token_text(options.get("token_file"))
    if not text:
        ask_as(EVERYTHING)
        return Caller(machine_user())
    token = tokens.verify(text)
    person = Caller(f"user:{token.user_id}", token)
    person.check(least_role)
    if command:
        tokens.note_use(token, person.actor, command, machine_user())
    ask_as(access_of_person(get_user_model().objects.filter(pk=token.user_id).first()))
    return person


def machine_user() -> str:
    """``cli:root``: the account that the process runs under, as the kernel knows it."""
    number = os.getuid()
    try:
        return f"cli:{pwd.getpwuid(number).pw_name}"
    except KeyError:  # as in some containers
        return f"cli:{number}"


def _token_text(path: str | None) -> str:
    if path is not None:
        return _read(path)
    if settings.DLQ_TOKEN.isspace():
        raise TokenRefused("DLQ_TOKEN is only spaces: put your personal token there, or take it away.")
    return str(settings.DLQ_TOKEN).strip()


def _without_waiting(path: str, flags: int) -> int:
    """Open a file without waiting: nobody may ever write to a FIFO."""
    return os.open(path, flags | os.O_NONBLOCK)


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", opener=_without_waiting) as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_LONGEST).strip() if stat.S_ISREG(mode) else ""
    except UnicodeDecodeError:
        text = ""
    except OSError as error:
        raise TokenRefused(f"The token file cannot be read: {error.strerror}.") from error
    if not text:
        raise TokenRefused("The token file holds no token.")
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise TokenRefused("The token file can be read by others: chmod 600 it first.")
    return text
