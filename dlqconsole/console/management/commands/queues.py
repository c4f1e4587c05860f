"""manage.py queues: list the queues; create, change, pause, purge, drop and bind them; act on one message."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from dlqconsole.console.operations import command as operations
from dlqconsole.console.parts.later import with_later
from dlqconsole.console.queues import archive_retention, purge_command
from dlqconsole.console.queues import text as queue_text
from dlqconsole.console.queues.actions import (
    ACTIONS,
    BIND,
    CHANGE,
    DELETE,
    LIST,
    MAKE_DUE,
    OTHERS,
    PURGE,
    UNBIND,
    why_not,
)
from dlqconsole.core.errors import InvalidQueue
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.database import health as database_health
from dlqconsole.engine.database.error_line import ASKED_WRONGLY
from dlqconsole.engine.queues import changes as queues
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import topics
from dlqconsole.engine.queues.archive import check_expected
from dlqconsole.engine.queues.known import require_known, unknown_queue
from dlqconsole.operations.models import Status
from dlqconsole.people.actions import ActionCommand, PersonAction
from dlqconsole.processing.inputs.arguments import count
from dlqconsole.processing.texts import printable
from dlqconsole.transports import message_actions, policies, queue_overview

LOOK_SECONDS = 5.0  # the time in which other systems have to answer


class Command(ActionCommand):
    help = (
        "Show each queue's messages and dead letters; create, change, pause, resume, purge, drop or bind one."
    )
    actions = ACTIONS

    def add_verb_arguments(self, parser: ArgumentParser, action: PersonAction) -> None:
        if action is not LIST:
            parser.add_argument("name", metavar="NAME")
        if action in (MAKE_DUE, DELETE):
            parser.add_argument("number", type=count, metavar="NUMBER", help="the message's number")
        if action in (BIND, UNBIND):
            parser.add_argument(
                "pattern",
                metavar="PATTERN",
                help="routing keys: 'order.*' for one word, 'order.#' for any number",
            )
        if action in (CHANGE, PURGE):
            parser.add_argument("--yes", action="store_true", help="do not ask on the terminal")
        if action is CHANGE:
            parser.add_argument(
                "--shorten-archived",
                action="store_true",
                help="keep what is archived already no longer than its archive days, either",
            )

    def check_allowed(self, action: PersonAction, options: dict[str, Any]) -> None:
        """Refuse a queue out of scope as an unknown one, and what another system does not have."""
        name = options.get("name", "")
        if name and not current_access().sees_queue(name):
            raise unknown_queue(name)
        if refusal := why_not(action.name, name):
            raise InvalidQueue(f"Nothing was changed. {refusal}")
        if action is BIND and current_access().is_limited:
            raise InvalidQueue(
                "A topic may bring messages of any type: only who sees them all binds a queue to it."
            )

    def _list(self, options: dict[str, Any]) -> None:
        rows = [*queue_overview.ours(), *queue_overview.elsewhere(LOOK_SECONDS)]
        lines = [_as_json(row) for row in rows] if options["json"] else self._table(rows)
        for line in lines:
            self.stdout.write(line)

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
        lines = [_as_json(row)] if options["json"] else self._whole(row)
        for line in lines:
            self.stdout.write(line)

    def _whole(self, row: dict[str, Any]) -> list[str]:
        return queue_text.whole(row, queue_metrics.minutes(row["name"]), topics.patterns(row["name"]))

    def _create(self, options: dict[str, Any]) -> None:
        queue = queues.create(options["name"], **self.who(options), **self.values)
        self.say(options, f"The queue {queue.name} is there.", queue=queue.name)

    def _change(self, options: dict[str, Any]) -> None:
        name, expected = options["name"], self.values.pop("expect", None)
        _check_change(options, self.values, expected)
        plan = self._plan(options, expected) if options["shorten_archived"] else None
        changes = queues.change(name, **self.who(options), **self.values)
        sentence = queue_text.changes_in_words(changes)
        if plan is not None and plan.cost.messages:
            outcome = archive_retention.carry_out(name, plan, self.who(options))
            answer = f"{sentence}. {outcome}" if sentence else outcome
            self.say(options, answer, changes=changes, shortened=plan.cost.messages)
            return
        stays = archive_retention.unchanged_sentence(name, changes)
        answer = sentence or "Nothing to change: it is so already."
        self.say(options, f"{answer}. {stays}" if stays else answer, changes=changes)

    def _plan(self, options: dict[str, Any], expected: int | None) -> archive_retention.RetentionPlan:
        """Plan to shorten the archive: count the messages that would go sooner, and confirm the count."""
        name = options["name"]
        require_known(name)
        plan = archive_retention.plan(name, self.values)
        check_expected(name, plan.cost, expected)
        if not plan.cost.messages or options["yes"]:
            return plan
        if _is_interactive(options):
            self._confirm(f"{archive_retention.cost_sentence(plan)} Shorten them?")
        elif expected is None:
            raise CommandError(
                f"{archive_retention.cost_sentence(plan)} Say --expect {plan.cost.messages}, or --yes.",
                returncode=ASKED_WRONGLY,
            )
        return plan

    def _pause(self, options: dict[str, Any]) -> None:
        effect = policies.pause(options["name"], **self.who(options))
        state = "paused: what is in flight is finished." if effect else "paused already; nothing was changed."
        more = f" {OTHERS} go on." if effect and queue_overview.is_attached(options["name"]) else ""
        self.say(options, f"{options['name']} is {state}{more}", changed=effect)

    def _resume(self, options: dict[str, Any]) -> None:
        effect = policies.resume(options["name"], **self.who(options))
        self.say(options, f"{options['name']} {'goes on' if effect else 'was not held up'}.", changed=effect)

    def _purge(self, options: dict[str, Any]) -> None:
        """Request the operation and wait for it, as ``deadletters --wait`` does."""
        name, expected = options["name"], self.values.get("expect")
        if not queue_overview.is_attached(name):
            require_known(name)
        purge = purge_command.PurgePreview.of(name)
        purge.check_expected(expected)
        if _is_interactive(options):
            self._confirm(f"Purge {purge.number:,} messages of {name}?")
        operation = purge.request(self.caller, options["because"].strip(), expected)
        operation = operations.wait(operation, self._show_progress)
        figures = purge_command.figures(operation)
        # an operation that waits for approval has done nothing: the problem says so
        if options["json"] or operation.status != Status.AWAITING:
            self.say(options, purge_command.sentence(operation, figures), **figures)
        if problem := operations.problem(operation):
            raise CommandError(problem)

    def _show_progress(self, sentence: str) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"\r{sentence}", ending="")

    def _drop(self, options: dict[str, Any]) -> None:
        queues.drop(options["name"], **self.who(options))
        self.say(options, f"The queue {options['name']} is gone.", dropped=True)

    def _make_due(self, options: dict[str, Any]) -> None:
        name, number, who = options["name"], options["number"], self.who(options)
        message_actions.make_due(name, number, actor=who["actor"], reason=who["reason"])
        self.say(options, f"Message {number} of {name} is due now.", message=number)

    def _delete(self, options: dict[str, Any]) -> None:
        name, number, who = options["name"], options["number"], self.who(options)
        message_actions.delete(name, number, actor=who["actor"], reason=who["reason"])
        self.say(options, f"Message {number} of {name} is deleted.", message=number)

    def _bind(self, options: dict[str, Any]) -> None:
        name, pattern = options["name"], options["pattern"]
        effect = topics.bind(name, pattern, **self.who(options))
        already = "" if effect else " already"
        self.say(options, f"{name} gets what is sent to {pattern}{already}.", changed=effect)

    def _unbind(self, options: dict[str, Any]) -> None:
        name, pattern = options["name"], options["pattern"]
        effect = topics.unbind(name, pattern, **self.who(options))
        sentence = (
            f"{name} gets nothing more by {pattern}." if effect else f"{name} was not bound to {pattern}."
        )
        self.say(options, sentence, changed=effect)

    def _confirm(self, question: str) -> None:
        if input(f"{printable(question)} Type yes: ").strip().lower() not in ("y", "yes"):
            raise CommandError("Nothing was changed.")


def _check_change(options: dict[str, Any], values: dict[str, Any], expected: int | None) -> None:
    """Refuse a change of nothing, and an expected count of nothing."""
    if not values and not options["shorten_archived"]:
        raise CommandError("Say what to change: queues change NAME --lease 120 …", returncode=ASKED_WRONGLY)
    if expected is not None and not options["shorten_archived"]:
        raise CommandError(
            "--expect counts what --shorten-archived shortens: give both.", returncode=ASKED_WRONGLY
        )


def _as_json(row: dict[str, Any]) -> str:
    return json.dumps(row, default=str)  # for a datetime among the values


def _is_interactive(options: dict[str, Any]) -> bool:
    return not options["yes"] and sys.stdin is not None and sys.stdin.isatty()
