"""The shop's tasks. While a file is there, its bank is away."""

import os
from pathlib import Path

from django.tasks import task

FOLDER = Path(os.environ["SHOP_FOLDER"])


class BankIsAway(Exception):
    """The bank does not answer."""


def ask_the_bank():
    if (FOLDER / "broken").exists():
        raise BankIsAway("bank.example.org did not answer in 5 s")


@task
def charge(*args, **kwargs):
    ask_the_bank()
    with (FOLDER / "done").open("a") as file:
        file.write(f"{args!r} {kwargs!r}\n")


@task
async def charge_async(order):
    ask_the_bank()
