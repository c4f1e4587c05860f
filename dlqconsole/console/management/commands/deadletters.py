"""manage.py deadletters: the console's list and bulk actions, for scripts and for people."""

import getpass
import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.console.asked_operation import AskedOperation, new_request_key
from dlqconsole.console.deadletters_options import READS, add_options, filter_parameters
from dlqconsole.console.letter_text import as_json, as_text, as_whole_json
from dlqconsole.console.operation_requests import request_asked
from dlqconsole.engine import excerpts
from dlqconsole.engine.errors import EngineError, InvalidFilter
from dlqconsole.engine.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.models import Kind, Operation
from dlqconsole.reports import exports

USAGE = 2  # exit status of what was asked wrongly; 1 is for what failed


class Command(BaseCommand):
    help = "List, count, show, export, retry, revive, discard or restore dead letters."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with _said_in_one_line():
            ids = [*options["id"], *options["ids"]]
            matching = DeadLetterFilter.parse(filter_parameters(options))
            if options["verb"] in READS:
                getattr(self, "_" + options["verb"])(ids, matching, options)
            else:
                self._operate(Kind(options["verb"]), ids, matching, options)

    def _list(self, ids: list[int], matching: DeadLetterFilter, options: dict[str, Any]) -> None:
        rows = excerpts.excerpts(excerpts.newest(_rows(ids, matching)))[: max(options["limit"], 0)]
        for row in rows:
            self.stdout.write(as_json(row) if options["json"] else as_text(row))

    def _count(self, ids: list[int], matching: DeadLetterFilter, options: dict[str, Any]) -> None:
        number = _rows(ids, matching).count()
        self.stdout.write(json.dumps({"count": number}) if options["json"] else str(number))

    def _show(self, ids: list[int], matching: DeadLetterFilter, options: dict[str, Any]) -> None:
        if not ids:
            raise CommandError("Say which: deadletters show 42", returncode=USAGE)
        for letter_id in ids:
            self.stdout.write(_whole(letter_id))

    def _export(self, ids: list[int], matching: DeadLetterFilter, options: dict[str, Any]) -> None:
        chosen = options["format"]
        wanted = (
            exports.of_ids(ids, chosen, _actor()) if ids else exports.of_filter(matching, chosen, _actor())
        )
        with _opened(options["output"]) as out:
            for chunk in wanted:
                out.write(chunk)
        self.stderr.write(f"{wanted.exported:,} dead letters exported.")

    def _operate(
        self, kind: Kind, ids: list[int], matching: DeadLetterFilter, options: dict[str, Any]
    ) -> None:
        if not options["because"].strip():
            raise CommandError(f'Say why: deadletters {kind} … --because "the reason"', returncode=USAGE)
        if not ids and not matching.canonical() and not options["all"]:
            raise CommandError("Give a filter, ids, or --all for every dead letter.", returncode=USAGE)
        operation = _request(kind, ids, matching, options["because"].strip())
        if options["wait"]:
            operation = self._wait(operation)
        self.stdout.write(json.dumps(_receipt(operation)) if options["json"] else _sentence(operation))
        if options["wait"] and operation.failed:
            raise CommandError(f"{operation.failed:,} of {operation.selected:,} failed.")

    def _wait(self, operation: Operation) -> Operation:
        while operation.is_live:
            time.sleep(0.5)
            operation.refresh_from_db()
            if sys.stderr.isatty():
                self.stderr.write(f"\r{_sentence(operation)}", ending="")
        if sys.stderr.isatty():
            self.stderr.write("")
        return operation


@contextmanager
def _said_in_one_line() -> Iterator[None]:
    """Bad input and a database that is away are one line on stderr, never a traceback."""
    try:
        yield
    except (InvalidFilter, ValueError) as error:
        raise CommandError(_line(error), returncode=USAGE) from error
    except (EngineError, DatabaseError, InterfaceError, OSError) as error:
        raise CommandError(_line(error)) from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _actor() -> str:
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):  # a user without a name, as in some containers
        return "cli:unknown"


def _rows(ids: list[int], matching: DeadLetterFilter) -> Any:
    return DeadLetter.objects.filter(pk__in=ids) if ids else matching.queryset()


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with open(path, "wb") as out:
            yield out


def _whole(letter_id: int) -> str:
    letter = excerpts.letter(letter_id)
    if letter is None:
        raise CommandError(f"There is no dead letter {letter_id}.")
    row = excerpts.excerpts(DeadLetter.objects.filter(pk=letter_id)).get()
    texts = {"error_reason": letter.error_reason, "error_stacktrace": letter.error_stacktrace}
    return as_whole_json({**row, **texts}, excerpts.payload(letter_id, excerpts.WHOLE))


def _request(kind: Kind, ids: list[int], matching: DeadLetterFilter, because: str) -> Operation:
    asked = AskedOperation(kind, ids or None, None if ids else matching)
    return request_asked(asked, _actor(), because, new_request_key())


def _receipt(operation: Operation) -> dict[str, Any]:
    names = ("id", "kind", "status", "selected", "done", "skipped", "failed", "remaining")
    return {name: getattr(operation, name) for name in names}


def _sentence(operation: Operation) -> str:
    return (
        f"Operation {operation.pk} ({operation.kind}) is {operation.status}: {operation.selected:,} selected,"
        f" {operation.done:,} done, {operation.skipped:,} skipped, {operation.failed:,} failed,"
        f" {operation.remaining:,} remaining."
    )
