"""manage.py queues: list the queues; create, change, pause, purge and drop them."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.console.operations import command as operations
from dlqconsole.console.parts.later import with_later
from dlqconsole.console.queues import archive_retention, purge_command
from dlqconsole.console.queues import text as queue_text
from dlqconsole.console.queues.attached import why_not
from dlqconsole.console.queues.options import add_options, policy
from dlqconsole.core.errors import EngineError, InvalidQueue
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database import health as database_health
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gated_command import GatedCommand
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues.archive_retention import check_expected
from dlqconsole.engine.queues.known import require_known, unknown_queue
from dlqconsole.engine.queues.policy import check_policy
from dlqconsole.operations.models import Status
from dlqconsole.people.command_line import caller
from dlqconsole.processing.texts import printable
from dlqconsole.transports import queue_overview

LOOK_SECONDS = 5.0  # the time in which other systems have to answer
USAGE = 2  # exit status of a wrong command line; 1 is for a failure
# verbs that the console calls otherwise
_ACTS = {"change": "policy"}
_READS = ("list", "show")
# the role that a token's person needs, as on the pages
_NEEDED = {"list": "viewer", "show": "viewer", "drop": "admin"}


class Command(GatedCommand):
    help = "Show each queue's messages and dead letters; create, change, pause, resume, purge or drop one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        verb = options["verb"] or "list"
        if "because" in options and not options["because"].strip():
            raise CommandError(f'Say why: queues {verb} NAME --because "the reason"', returncode=USAGE)
        try:
            action = "" if verb in _READS else f"queues {verb}"
            self.caller = caller(options, _NEEDED.get(verb, "operator"), action)
            self._check_within(options.get("name", ""))
            if refusal := why_not(_ACTS.get(verb, verb), options.get("name", "")):
                raise InvalidQueue(f"Nothing was changed. {refusal}")
            getattr(self, "_" + verb)(options)
        except (EngineError, DatabaseError, InterfaceError, ValueError) as error:
            raise refused(error) from error

    def _list(self, options: dict[str, Any]) -> None:
        rows = [*queue_overview.ours(), *queue_overview.elsewhere(LOOK_SECONDS)]
        lines = [_as_json(row) for row in rows] if options["json"] else self._table(rows)
        for line in lines:
            self.stdout.write(line)

    def _check_within(self, name: str) -> None:
        """Raise the error of an unknown queue for a queue out of the caller's scope."""
        if name and not current_access().sees_queue(name):
            raise unknown_queue(name)

    def _table(self, rows: list[dict[str, Any]]) -> list[str]:
        if current_access().is_limited:
            return queue_text.table(rows)
        warnings = [f"database: {sentence}" for sentence in database_health.health()["warnings"]]
        return [*queue_text.table(rows), *warnings]

    def _show(self, options: dict[str, Any]) -> None:
        name = options["name"]
        if not queue_overview.is_attached(name):
            require_known(name)
        [row] = with_later([queue_overview.standing(name)])
        lines = [_as_json(row)] if options["json"] else queue_text.whole(row, queue_metrics.minutes(name))
        for line in lines:
            self.stdout.write(line)

    def _create(self, options: dict[str, Any]) -> None:
        queue = queues.create(options["name"], **self._who(options), **policy(options))
        self._say(options, f"The queue {queue.name} is there.", queue=queue.name)

    def _change(self, options: dict[str, Any]) -> None:
        name, values = options["name"], policy(options)
        _check_change(options, values)
        plan = self._plan(options, check_policy(values)) if options["shorten_archived"] else None
        changes = queues.change(name, **self._who(options), **values)
        sentence = queue_text.changes_in_words(changes)
        if plan is not None and plan.cost.messages:
            outcome = archive_retention.carry_out(name, plan, self._who(options))
            answer = f"{sentence}. {outcome}" if sentence else outcome
            self._say(options, answer, changes=changes, shortened=plan.cost.messages)
            return
        stays = archive_retention.unchanged_sentence(name, changes)
        answer = sentence or "Nothing to change: it is so already."
        self._say(options, f"{answer}. {stays}" if stays else answer, changes=changes)

    def _plan(self, options: dict[str, Any], values: dict[str, Any]) -> archive_retention.RetentionPlan:
        """Plan to shorten the archive: count the messages that would go sooner, and confirm the count."""
        name = options["name"]
        require_known(name)
        plan = archive_retention.plan(name, values)
        check_expected(name, plan.cost, options["expect"])
        if not plan.cost.messages or options["yes"]:
            return plan
        if _is_interactive(options):
            self._confirm(f"{archive_retention.cost_sentence(plan)} Shorten them?")
        elif options["expect"] is None:
            raise CommandError(
                f"{archive_retention.cost_sentence(plan)} Say --expect {plan.cost.messages}, or --yes.",
                returncode=USAGE,
            )
        return plan

    def _pause(self, options: dict[str, Any]) -> None:
        effect = queues.pause(options["name"], **self._who(options))
        state = "paused: what is in flight is finished." if effect else "paused already; nothing was changed."
        self._say(options, f"{options['name']} is {state}", changed=effect)

    def _resume(self, options: dict[str, Any]) -> None:
        effect = queues.resume(options["name"], **self._who(options))
        self._say(options, f"{options['name']} {'goes on' if effect else 'was not held up'}.", changed=effect)

    def _purge(self, options: dict[str, Any]) -> None:
        """Request the operation and wait for it, as ``deadletters --wait`` does."""
        name = options["name"]
        require_known(name)
        purge = purge_command.PurgePreview.of(name)
        purge.check_expected(options["expect"])
        if _is_interactive(options):
            self._confirm(f"Purge {purge.number:,} messages of {name}?")
        operation = purge.request(self.caller, options["because"].strip(), options["expect"])
        operation = operations.wait(operation, self._show_progress)
        figures = purge_command.figures(operation)
        # an operation that waits for approval has done nothing: the problem says so
        if options["json"] or operation.status != Status.AWAITING:
            self._say(options, purge_command.sentence(operation, figures), **figures)
        if problem := operations.problem(operation):
            raise CommandError(problem)

    def _show_progress(self, sentence: str) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"\r{sentence}", ending="")

    def _drop(self, options: dict[str, Any]) -> None:
        queues.drop(options["name"], **self._who(options))
        self._say(options, f"The queue {options['name']} is gone.", dropped=True)

    def _who(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"actor": self.caller.actor, "reason": options["because"].strip()}

    def _say(self, options: dict[str, Any], sentence: str, **figures: Any) -> None:
        self.stdout.write(json.dumps(figures) if options["json"] else printable(sentence))

    def _confirm(self, question: str) -> None:
        if input(f"{printable(question)} Type yes: ").strip().lower() not in ("y", "yes"):
            raise CommandError("Nothing was changed.")


def _check_change(options: dict[str, Any], values: dict[str, Any]) -> None:
    """Refuse a change of nothing, and an expected count of nothing."""
    if not values and not options["shorten_archived"]:
        raise CommandError("Say what to change: queues change NAME --lease 120 …", returncode=USAGE)
    if options["expect"] is not None and not options["shorten_archived"]:
        raise CommandError("--expect counts what --shorten-archived shortens: give both.", returncode=USAGE)


def _as_json(row: dict[str, Any]) -> str:
    return json.dumps(row, default=str)  # for a datetime among the values


def _is_interactive(options: dict[str, Any]) -> bool:
    return not options["yes"] and sys.stdin is not None and sys.stdin.isatty()
