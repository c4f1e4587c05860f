"""manage.py schedule: show the schedule and what waits; policies, pauses, and a run now."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from dlqconsole.console.schedules import text
from dlqconsole.console.schedules.actions import ACTIONS, SHOW
from dlqconsole.console.schedules.policy_rows import policy_rows
from dlqconsole.console.schedules.views import next_run, why_not
from dlqconsole.core.handling import registry
from dlqconsole.engine.database.error_line import ASKED_WRONGLY
from dlqconsole.engine.models import DeadLetter, FailureGroup
from dlqconsole.people.actions import ActionCommand, PersonAction
from dlqconsole.processing.errors import SetupError
from dlqconsole.retries import policies, policy_preview
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.retries.next_run import request_run, wake
from dlqconsole.retries.policies import PolicyScope, keeping, words
from dlqconsole.retries.policies.checks import COLUMNS, InvalidPolicy, check_scope, check_values
from dlqconsole.retries.policies.fields import columns_of
from dlqconsole.retries.policies.keeping import UnknownPolicy
from dlqconsole.retries.policies.scopes import seen
from dlqconsole.retries.why import OFF


class Command(ActionCommand):
    help = "Show the schedule; keep policies, pause, resume, and ask for a run."
    actions = ACTIONS

    def check_allowed(self, action: PersonAction, options: dict[str, Any]) -> None:
        """Refuse a policy out of the caller's scope as an unknown one."""
        self.scope = PolicyScope(self.values.pop("event_type", None), self.values.pop("group", None))
        check_scope(self.scope)
        some, whole = seen(self.scope)
        if not (whole if action.changes else some or action is SHOW):
            raise UnknownPolicy(f"There is no policy for {self.scope.words()} within your scope.")

    def _show(self, options: dict[str, Any]) -> None:
        render = text.as_json if options["json"] else text.overview
        for line in render(next_run(), policy_rows(policies.read()), why_not()):
            self.stdout.write(line)

    def _preview(self, options: dict[str, Any]) -> None:
        before = policies.read()
        if self.values:
            columns = self._columns(before.row_of(self.scope))
            result = policy_preview.preview(self.scope, columns, before)
        else:
            result = policy_preview.effect_of(self.scope, before, before)
        block = result.policy.block_reason(before.now)
        render = text.preview_as_json if options["json"] else text.preview
        for line in render(result, words.block_words(block) if block else OFF.rstrip(".")):
            self.stdout.write(line)

    def _set(self, options: dict[str, Any]) -> None:
        if not self.values:
            raise CommandError(
                "Say what to set: schedule set --max-retries 9, for one.", returncode=ASKED_WRONGLY
            )
        check_group_exists(self.scope)
        existing = policies.read().row_of(self.scope)
        columns = self._columns(existing)
        if existing is None or keeping.is_empty(existing):
            policy = keeping.add(self.scope, columns, **self.who(options))
            self.say(options, f"Policy {policy.pk} for {self.scope.words()} is kept.", policy=policy.pk)
            return
        changes = keeping.change(existing.pk, existing.version, columns, **self.who(options))
        state = "changed" if changes else "so already"
        sentence = f"Policy {existing.pk} for {self.scope.words()} is {state}."
        self.say(options, sentence, policy=existing.pk)

    def _columns(self, existing: RetryPolicy | None) -> dict[str, Any]:
        """The policy with the values of the flags. Raises InvalidPolicy, in the page's words."""
        columns = {name: getattr(existing, name, None) for name in COLUMNS}
        return check_values(columns | columns_of(self.values))

    def _delete(self, options: dict[str, Any]) -> None:
        policy = keeping.find(self.scope)
        if policy is None:
            raise UnknownPolicy(f"There is no policy for {self.scope.words()}.")
        keeping.delete(policy.pk, policy.version, **self.who(options))
        self.say(options, f"The policy for {self.scope.words()} is gone.", policy=policy.pk)

    def _pause(self, options: dict[str, Any]) -> None:
        check_group_exists(self.scope)
        effect = keeping.pause(self.scope, until=self.values.get("until"), **self.who(options))
        state = "paused: what runs is finished." if effect else "paused so already; nothing was changed."
        self.say(options, f"{self.scope.words()}: {state}{unknown_type_warning(self.scope)}", changed=effect)

    def _resume(self, options: dict[str, Any]) -> None:
        effect = keeping.resume(self.scope, **self.who(options))
        state = "resumed." if effect else "nothing had paused it."
        self.say(options, f"{self.scope.words()}: {state}", changed=effect)

    def _run(self, options: dict[str, Any]) -> None:
        if not settings.DLQ_RETRY_ENABLED:
            raise CommandError(OFF)
        request_run(**self.who(options))
        wake()
        self.say(options, "A run begins as soon as a worker is free.", changed=True)

    def say(self, options: dict[str, Any], sentence: str, **figures: Any) -> None:
        """Print a sentence, or one JSON object with it."""
        super().say(options, sentence, **figures, said=sentence)


def check_group_exists(whose: PolicyScope) -> None:
    """Raise InvalidPolicy for a failure group that does not exist."""
    if whose.group_id is not None and not FailureGroup.objects.filter(pk=whose.group_id).exists():
        raise InvalidPolicy([("group", f"There is no failure group {whose.group_id}.")])


def unknown_type_warning(whose: PolicyScope) -> str:
    """A sentence about an event type that nobody has seen yet: one may be paused before it comes."""
    kind = whose.event_type
    if kind is None or DeadLetter.objects.filter(event_type=kind).exists() or _has_handler(kind):
        return ""
    return f" No dead letter is of the type {kind}, and no handler here: is it spelled so?"


def _has_handler(event_type: str) -> bool:
    try:
        return event_type in registry().event_types
    except SetupError:
        return False
