"""manage.py deadletters: the console's list and bulk actions, for scripts and for people."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError
from django.db.models import QuerySet

from dlqconsole.console.dead_letters.text import (
    STANDARD_OUTPUT,
    as_json,
    as_text,
    as_whole_json,
    mask_payload,
    mask_row,
    open_output,
)
from dlqconsole.console.masking.revelations import REVEAL, note_search
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.operations import command as operations
from dlqconsole.console.operations import command_verbs as verbs
from dlqconsole.console.operations.command_options import add_options, filter_parameters
from dlqconsole.core.errors import EngineError, InvalidFilter
from dlqconsole.engine import audit
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database.error_line import ASKED_WRONGLY, error_line, exit_status
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.gate import GatedCommand, Shown
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import ItemStatus, Operation
from dlqconsole.operations.pages.export_rows import letters
from dlqconsole.operations.pages.file_making import FileMaking
from dlqconsole.operations.requests.scope import ItemsOf, LetterScope, Matching, Rows
from dlqconsole.people.command_line import Caller, caller
from dlqconsole.people.names import named
from dlqconsole.processing.formats import FORMATS
from dlqconsole.processing.texts import visible
from dlqconsole.retries.why import Circumstances, answer

LISTED = 50


class Command(GatedCommand):
    help = "Look at dead letters, act on many of them, and control what was asked for."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with _errors_in_one_line():
            verbs.check(options)
            self.caller = _caller(options)
            if options["verb"] in verbs.CONTROLS:
                self._control(options)
            elif options["verb"] in verbs.READS and not options["as_operation"]:
                getattr(self, "_" + options["verb"])(options)
            elif options["payload_file"]:
                self._edit_one(options)
            else:
                self._operate(kinds.get(options["verb"]), options)

    def _list(self, options: dict[str, Any]) -> None:
        limit = LISTED if options["limit"] is None else options["limit"]
        for row in excerpts.excerpts(excerpts.newest(self._letters(options)))[:limit]:
            row = mask_row(row, masked_texts())
            self.stdout.write(as_json(row) if options["json"] else as_text(row))

    def _count(self, options: dict[str, Any]) -> None:
        number = self._letters(options).count()
        self.stdout.write(json.dumps({"count": number}) if options["json"] else str(number))

    def _show(self, options: dict[str, Any]) -> None:
        ids = _ids(options)
        if options["operation"] is not None:
            self.stdout.write(operations.facts(options["operation"]))
            return
        if not ids:
            raise CommandError("Say which: deadletters show 42", returncode=ASKED_WRONGLY)
        reason = _because(options) if options["unmasked"] else ""
        for letter_id in ids:
            self.stdout.write(_show_letter(letter_id, reason, self.caller))

    def _export(self, options: dict[str, Any]) -> None:
        scope, format = self._scope(options), options["format"] or "csv"
        if why_not := FORMATS[format].why_not():
            raise CommandError(why_not)
        making, is_complete = FileMaking(letters(scope.queryset()), format), False
        try:
            output = options["output"] or STANDARD_OUTPUT
            with open_output(output) as out, closing(making.bytes()) as contents:
                out.writelines(contents)
            is_complete = True
        finally:  # a reader that went away, a full disk
            _note_export(scope, making, self.caller.actor, is_complete)
        self.stderr.write("\n".join([f"{making.row_count:,} dead letters exported.", *making.told()]))

    def _operate(self, kind: Kind, options: dict[str, Any]) -> None:
        because, scope = _because(options), self._scope(options)
        if scope == Matching(DeadLetterFilter()) and not options["all"]:
            raise CommandError(
                "Give a filter, ids, or --all for every dead letter.", returncode=ASKED_WRONGLY
            )
        for sentence in operations.forecast(kind, scope, options):
            self.stderr.write(visible(sentence))
        self._report(operations.ask(kind, scope, because, options, self.caller), options)

    def _edit_one(self, options: dict[str, Any]) -> None:
        ids = _ids(options)
        if len(ids) != 1:
            raise CommandError(
                "--payload-file is the new payload of one: deadletters edit 42 --payload-file F",
                returncode=ASKED_WRONGLY,
            )
        because = _because(options)
        self.stdout.write(operations.edit_one(ids[0], because, options["payload_file"], self.caller))

    def _control(self, options: dict[str, Any]) -> None:
        """Pause, resume, undo … an operation; its number may be given in either way."""
        verb, numbers = options["verb"], _ids(options) or [options["operation"]]
        if len(numbers) != 1 or numbers[0] is None:
            raise CommandError(f"Say which operation: deadletters {verb} 12", returncode=ASKED_WRONGLY)
        because = _because(options) if verb == "undo" else (options["because"] or "").strip()
        operation = operations.control(verb, numbers[0], because, options["typed_count"], self.caller)
        self._report(operation, options)

    def _report(self, operation: Operation, options: dict[str, Any]) -> None:
        if options["wait"]:
            operation = operations.wait(operation, self._show_progress)
            if sys.stderr.isatty():
                self.stderr.write("")
        as_text = operations.sentence(operation)
        self.stdout.write(json.dumps(operations.receipt(operation)) if options["json"] else as_text)
        if options["wait"] and (problem := operations.problem(operation)):
            raise CommandError(problem)

    def _scope(self, options: dict[str, Any]) -> LetterScope:
        """The dead letters of the options; without any, all. Raises InvalidFilter and OperationRefused."""
        if options["operation"] is not None:
            items = ItemsOf(options["operation"], options["outcome"] or ItemStatus.FAILED)
            items.columns()  # raises where there is no such operation, for a read as well
            return items
        ids = _ids(options)
        if ids:
            return Rows.of(ids)
        letter_filter = DeadLetterFilter.parse(filter_parameters(options))
        letter_filter.naming_what_is_there()
        note_search(letter_filter, self.caller.actor)
        return Matching(letter_filter)

    def _letters(self, options: dict[str, Any]) -> QuerySet[DeadLetter]:
        """The dead letters of the scope that the caller sees."""
        return self._scope(options).queryset()

    def _show_progress(self, sentence: str) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"\r{sentence}", ending="")


def _ids(options: dict[str, Any]) -> list[int]:
    return [*options["id"], *(options["ids"] or ())]


def _note_export(scope: LetterScope, making: FileMaking, actor: str, is_complete: bool) -> None:
    """Note in the audit log what left by the command line."""
    access = current_access()
    detail = {"format": making.format, "rows": making.row_count, "completed": is_complete}
    detail |= {"filter": scope.filter.audit_parameters()} if isinstance(scope, Matching) else {}
    detail |= {"ids": scope.ids[:1000]} if isinstance(scope, Rows) else {}
    detail |= {"scope": access.words()} if access.is_limited else {}
    words = " and ".join(scope.words()) or "all dead letters"
    audit.record(actor, "export", "dead_letters", reason=words, detail=detail)


def _because(options: dict[str, Any]) -> str:
    because: str = (options["because"] or "").strip()
    if not because:
        verb = options["verb"]
        raise CommandError(f'Say why: deadletters {verb} … --because "the reason"', returncode=ASKED_WRONGLY)
    return because


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Print bad input, or an unreachable database, as one line on stderr, never a traceback."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader has closed the pipe: manage.py ends quietly
    except InvalidFilter as error:
        picture = "".join(f"\n  {visible(line)}" for line in error.picture.splitlines())
        raise CommandError(_line(error) + picture, returncode=ASKED_WRONGLY) from error
    except ValueError as error:
        raise CommandError(_line(error), returncode=ASKED_WRONGLY) from error
    except (EngineError, DatabaseError, InterfaceError, OSError) as error:
        raise CommandError(_line(error), returncode=exit_status(error)) from error


def _line(error: Exception) -> str:
    return visible(error_line(error))


def _caller(options: dict[str, Any]) -> Caller:
    """The caller of the verb. A masked read needs only a viewer and leaves no audit entry."""
    verb = options["verb"]
    if verb in ("list", "count") or (verb == "show" and not options["unmasked"]):
        return caller(options, "viewer")
    return caller(options, "operator", f"deadletters {verb}")


def _show_letter(letter_id: int, reason: str, who: Caller) -> str:
    """A dead letter, masked unless there is a reason: the audit log records it before anything is printed."""
    letter = excerpts.letter(letter_id) if excerpts.is_seen(letter_id) else None
    if letter is None:
        raise CommandError(f"There is no dead letter {letter_id}.")
    row = excerpts.excerpts(DeadLetter.objects.filter(pk=letter_id)).get()
    row |= {"error_reason": letter.error_reason, "error_stacktrace": letter.error_stacktrace}
    row["why_not_retried"] = named(answer(letter, Circumstances.look()).sentence)
    payload = excerpts.payload(letter_id, excerpts.WHOLE)
    if reason:
        audit.record(who.actor, REVEAL, f"dead_letter:{letter_id}", reason=reason)
        return Shown(as_whole_json(row, payload))
    texts = masked_texts()
    return Shown(as_whole_json(mask_row(row, texts), mask_payload(payload, texts)))
