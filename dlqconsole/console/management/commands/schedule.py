"""manage.py schedule: what the schedule does and why the rest waits; policies, pauses, and a run now."""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError

from dlqconsole.console.schedules import text
from dlqconsole.console.schedules.existing import check_there, unheard_of
from dlqconsole.console.schedules.options import add_options, given, given_anything, scope, until
from dlqconsole.console.schedules.policy_rows import policy_rows
from dlqconsole.console.schedules.views import next_run, why_not
from dlqconsole.engine.database.error_line import refused
from dlqconsole.engine.errors import EngineError
from dlqconsole.engine.gated_command import GatedCommand
from dlqconsole.people.command_line import caller
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.retries import policies, policy_preview, run_requests
from dlqconsole.retries.policies import Scope, keeping, words
from dlqconsole.retries.policies.keeping import UnknownPolicy
from dlqconsole.retries.policies.visibility import seen
from dlqconsole.retries.why import OFF

USAGE = 2  # exit status of what was asked wrongly; 1 is for what failed
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
            noted = "" if verb in _READS else f"schedule {verb}"
            self.caller = caller(options, _NEEDED.get(verb, "operator"), noted)
            getattr(self, f"_{verb}")(options)
        except (EngineError, InvalidInput, DatabaseError, InterfaceError) as error:
            raise refused(error) from error

    def _show(self, options: dict[str, Any]) -> None:
        reach = self.caller.reach
        tell = text.as_json if options["json"] else text.overview
        for line in tell(next_run(), policy_rows(policies.read(), reach), why_not(reach)):
            self.stdout.write(line)

    def _preview(self, options: dict[str, Any]) -> None:
        whose, before = self._scope(options), policies.read()
        if given_anything(options):
            values = given(options, whose, before.row_of(whose), before)
            found = policy_preview.preview(whose, values, self.caller.reach, before)
        else:
            found = policy_preview.effect_of(whose, self.caller.reach, before, before)
        held = found.policy.block_reason(before.now)
        tell = text.preview_as_json if options["json"] else text.preview
        for line in tell(found, words.block_words(held) if held else OFF.rstrip(".")):
            self.stdout.write(line)

    def _set(self, options: dict[str, Any]) -> None:
        whose, before = self._scope(options, whole=True), policies.read()
        if not given_anything(options):
            raise CommandError("Say what to set: schedule set --max-retries 9, for one.", returncode=USAGE)
        check_there(whose)
        there = before.row_of(whose)
        values = given(options, whose, there, before)
        if there is None or keeping.is_empty(there):
            made = keeping.add(whose, values, **self._who(options))
            self._say(options, f"Policy {made.pk} for {whose.words()} is kept.", policy=made.pk)
            return
        changes = keeping.change(there.pk, there.version, values, **self._who(options))
        told = "changed" if changes else "so already"
        self._say(options, f"Policy {there.pk} for {whose.words()} is {told}.", policy=there.pk)

    def _delete(self, options: dict[str, Any]) -> None:
        whose = self._scope(options, whole=True)
        there = keeping.find(whose)
        if there is None:
            raise UnknownPolicy(f"There is no policy for {whose.words()}.")
        keeping.delete(there.pk, there.version, **self._who(options))
        self._say(options, f"The policy for {whose.words()} is gone.", policy=there.pk)

    def _pause(self, options: dict[str, Any]) -> None:
        whose = self._scope(options, whole=True)
        check_there(whose)
        changed = keeping.pause(whose, until=until(options["until"]), **self._who(options))
        told = "paused: what runs is finished." if changed else "paused so already; nothing was changed."
        self._say(options, f"{whose.words()}: {told}{unheard_of(whose)}", changed=changed)

    def _resume(self, options: dict[str, Any]) -> None:
        whose = self._scope(options, whole=True)
        changed = keeping.resume(whose, **self._who(options))
        self._say(
            options,
            f"{whose.words()}: {'resumed.' if changed else 'nothing had paused it.'}",
            changed=changed,
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
        """What is out of a person's reach is not there."""
        some, all_of_it = seen(whose, self.caller.reach)
        if not (all_of_it if whole else some):
            raise UnknownPolicy(f"There is no policy for {whose.words()} within your scope.")

    def _who(self, options: dict[str, Any]) -> dict[str, str]:
        return {"actor": self.caller.actor, "reason": options["because"].strip()}

    def _say(self, options: dict[str, Any], sentence: str, **figures: Any) -> None:
        self.stdout.write(json.dumps(figures | {"said": sentence}) if options["json"] else sentence)
