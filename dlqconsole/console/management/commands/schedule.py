"""manage.py schedule: show the schedule and what waits; policies, pauses, and a run now."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.console.schedules import text
from dlqconsole.console.schedules.existing import check_group_exists, unknown_type_warning
from dlqconsole.console.schedules.options import add_options, has_values, policy_values, scope, until
from dlqconsole.console.schedules.policy_rows import policy_rows
from dlqconsole.console.schedules.views import next_run, why_not
from dlqconsole.core.errors import EngineError
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.gated_command import GatedCommand
from dlqconsole.people.command_line import caller
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.retries import policies, policy_preview, run_requests
from dlqconsole.retries.policies import Scope, keeping, words
from dlqconsole.retries.policies.keeping import UnknownPolicy
from dlqconsole.retries.policies.visibility import seen
from dlqconsole.retries.why import OFF

USAGE = 2  # exit status of a wrong command line; 1 is for a failure
_READS = ("show", "preview")
_NEEDED = {"show": "viewer", "preview": "viewer", "set": "admin", "delete": "admin"}


class Command(GatedCommand):
    help = "Show the schedule; keep policies, pause, resume, and ask for a run."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        verb = options["verb"] or "show"
        if "because" in options and not options["because"].strip():
            raise CommandError(f'Say why: schedule {verb} --because "the reason"', returncode=USAGE)
        try:
            action = "" if verb in _READS else f"schedule {verb}"
            self.caller = caller(options, _NEEDED.get(verb, "operator"), action)
            getattr(self, f"_{verb}")(options)
        except (EngineError, InvalidInput, DatabaseError, InterfaceError) as error:
            raise refused(error) from error

    def _show(self, options: dict[str, Any]) -> None:
        render = text.as_json if options["json"] else text.overview
        for line in render(next_run(), policy_rows(policies.read()), why_not()):
            self.stdout.write(line)

    def _preview(self, options: dict[str, Any]) -> None:
        whose, before = self._scope(options), policies.read()
        if has_values(options):
            values = policy_values(options, whose, before.row_of(whose), before)
            result = policy_preview.preview(whose, values, before)
        else:
            result = policy_preview.effect_of(whose, before, before)
        block = result.policy.block_reason(before.now)
        render = text.preview_as_json if options["json"] else text.preview
        for line in render(result, words.block_words(block) if block else OFF.rstrip(".")):
            self.stdout.write(line)

    def _set(self, options: dict[str, Any]) -> None:
        whose, before = self._scope(options, whole=True), policies.read()
        if not has_values(options):
            raise CommandError("Say what to set: schedule set --max-retries 9, for one.", returncode=USAGE)
        check_group_exists(whose)
        existing = before.row_of(whose)
        values = policy_values(options, whose, existing, before)
        if existing is None or keeping.is_empty(existing):
            policy = keeping.add(whose, values, **self._who(options))
            self._say(options, f"Policy {policy.pk} for {whose.words()} is kept.", policy=policy.pk)
            return
        changes = keeping.change(existing.pk, existing.version, values, **self._who(options))
        state = "changed" if changes else "so already"
        self._say(options, f"Policy {existing.pk} for {whose.words()} is {state}.", policy=existing.pk)

    def _delete(self, options: dict[str, Any]) -> None:
        whose = self._scope(options, whole=True)
        policy = keeping.find(whose)
        if policy is None:
            raise UnknownPolicy(f"There is no policy for {whose.words()}.")
        keeping.delete(policy.pk, policy.version, **self._who(options))
        self._say(options, f"The policy for {whose.words()} is gone.", policy=policy.pk)

    def _pause(self, options: dict[str, Any]) -> None:
        whose = self._scope(options, whole=True)
        check_group_exists(whose)
        effect = keeping.pause(whose, until=until(options["until"]), **self._who(options))
        state = "paused: what runs is finished." if effect else "paused so already; nothing was changed."
        self._say(options, f"{whose.words()}: {state}{unknown_type_warning(whose)}", changed=effect)

    def _resume(self, options: dict[str, Any]) -> None:
        whose = self._scope(options, whole=True)
        effect = keeping.resume(whose, **self._who(options))
        self._say(
            options,
            f"{whose.words()}: {'resumed.' if effect else 'nothing had paused it.'}",
            changed=effect,
        )

    def _run(self, options: dict[str, Any]) -> None:
        if not settings.DLQ_RETRY_ENABLED:
            raise CommandError(OFF)
        self._check_within(Scope(), whole=True)
        run_requests.request_run(**self._who(options))
        run_requests.wake()
        self._say(options, "A run begins as soon as a worker is free.", changed=True)

    def _scope(self, options: dict[str, Any], *, whole: bool = False) -> Scope:
        whose = scope(options)
        self._check_within(whose, whole=whole)
        return whose

    def _check_within(self, whose: Scope, *, whole: bool) -> None:
        """Raise UnknownPolicy for a policy out of the caller's scope."""
        some, all_of_it = seen(whose)
        if not (all_of_it if whole else some):
            raise UnknownPolicy(f"There is no policy for {whose.words()} within your scope.")

    def _who(self, options: dict[str, Any]) -> dict[str, str]:
        return {"actor": self.caller.actor, "reason": options["because"].strip()}

    def _say(self, options: dict[str, Any], sentence: str, **figures: Any) -> None:
        self.stdout.write(json.dumps(figures | {"said": sentence}) if options["json"] else sentence)
