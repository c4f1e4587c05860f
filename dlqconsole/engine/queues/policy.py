"""The names that a queue may have, and the values of its policy."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core.errors import InvalidQueue, MalformedQueue
from dlqconsole.core.messages.queues import refusal
from dlqconsole.engine.models.queues import NotifyMode, OnDeadLetter, Queue, Retention
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.fields import Choice, Field, Number, WholeNumber, YesNo, read_all
from dlqconsole.processing.inputs.plain_text import quoted

_DAY, _MONTH = 86_400, 31 * 86_400
POLICY: tuple[Field, ...] = (
    WholeNumber(
        name="max_retries",
        label=gettext_lazy("Retries on the queue"),
        hint=gettext_lazy("then it becomes a dead letter"),
        help="retries on the queue before a dead letter (3)",
        high=1_000_000,
    ),
    WholeNumber(
        name="lease_seconds",
        label=gettext_lazy("Lease, seconds"),
        hint=gettext_lazy("how long a consumer holds a message without a sign of life"),
        flags=("--lease", "--lease-seconds"),
        metavar="SECONDS",
        help="a claim's lease (60)",
        low=1,
        high=_DAY,
    ),
    Number(
        name="backoff_base_seconds",
        label=gettext_lazy("First delay, seconds"),
        hint=gettext_lazy("before the first retry"),
        flags=("--backoff-base",),
        metavar="SECONDS",
        help="first delay (5)",
        low=0,
        high=_MONTH,
    ),
    Number(
        name="backoff_factor",
        label=gettext_lazy("Each delay times"),
        hint=gettext_lazy("1 keeps it the same"),
        metavar="X",
        help="each delay is so many times the last (2)",
        low=1,
        high=100,
    ),
    Number(
        name="backoff_cap_seconds",
        label=gettext_lazy("Longest delay, seconds"),
        flags=("--backoff-cap",),
        metavar="SECONDS",
        help="longest delay (3600)",
        low=0,
        high=_MONTH,
    ),
    Number(
        name="backoff_jitter",
        label=gettext_lazy("Jitter"),
        hint=gettext_lazy("the share of a delay that is drawn by lot, 0 to 1"),
        flags=("--jitter", "--backoff-jitter"),
        metavar="SHARE",
        help="drawn by lot, 0 to 1 (1)",
        low=0,
        high=1,
    ),
    Choice(
        name="retention",
        label=gettext_lazy("Completed messages are"),
        help="what becomes of completed messages (delete)",
        choices=Retention.choices,
    ),
    WholeNumber(
        name="archive_days",
        label=gettext_lazy("Archived for, days"),
        hint=gettext_lazy("what is archived from now on; what is there keeps its time"),
        help="how long to keep what is archived from now on (30)",
        low=1,
        high=3_650,
    ),
    Choice(
        name="notify",
        label=gettext_lazy("Consumers are woken"),
        help="when sleeping consumers are woken (throttled)",
        choices=NotifyMode.choices,
    ),
    Number(
        name="rate_limit",
        label=gettext_lazy("Claims a second"),
        hint=gettext_lazy("by all consumers together; empty for no limit"),
        help="claims a second by all consumers, or none",
        is_required=False,
        empty_word="none",
        low=0.001,
        high=1_000_000,
    ),
    WholeNumber(
        name="age_limit_seconds",
        label=gettext_lazy("Age limit, seconds"),
        hint=gettext_lazy("how long the oldest waiting message may have been due; empty for no limit"),
        flags=("--age-limit", "--age-limit-seconds"),
        metavar="SECONDS",
        help=gettext_lazy("how long a message may wait before people are told, or none"),
        is_required=False,
        empty_word="none",
        low=1,
        high=_MONTH,
    ),
    YesNo(
        name="fifo_groups",
        label=gettext_lazy("Groups"),
        flags=("--fifo", "--fifo-groups"),
        help="groups one at a time, in order",
        choices=(
            ("yes", gettext_lazy("One message at a time, in order")),
            ("no", gettext_lazy("Only a label")),
        ),
    ),
    Choice(
        name="on_dead_letter",
        label=gettext_lazy("Behind a dead letter its group"),
        hint=gettext_lazy("closed: it has succeeded or is discarded; what is open already counts, too"),
        help="what the group behind a dead letter does (continue)",
        choices=OnDeadLetter.choices,
    ),
    YesNo(
        name="unlogged",
        label=gettext_lazy("Durability"),
        hint=gettext_lazy("can only be changed while the queue is empty"),
        help="faster, and gone after a crash of the database",
        choices=(
            ("no", gettext_lazy("Logged")),
            ("yes", gettext_lazy("Unlogged: faster, and gone after a crash of the database")),
        ),
    ),
)
_BY_NAME = {field.name: field for field in POLICY}
FIELDS = tuple(_BY_NAME)
# The policy of a queue that nobody created. str: a choice travels as its plain value.
DEFAULTS: dict[str, Any] = {
    field.name: str(field.db_default) if isinstance(field.db_default, str) else field.db_default
    for field in Queue._meta.concrete_fields
    if field.name in FIELDS
}


def check_new_name(name: str) -> str:
    """Return the name, if a queue may be created under it. Raises InvalidQueue."""
    if why := refusal(name):
        raise MalformedQueue(why)
    return name


def check_kept_name(name: str) -> str:
    """Return the name, if a policy can be kept for it. Raises InvalidQueue."""
    if ":" in name:
        raise InvalidQueue(
            _(
                "{name} is a queue of another system: it is paused and changed over there. {program} attach"
                " changes how often its messages are tried here."
            ).format(name=quote(name), program=PROGRAM)
        )
    return check_new_name(name)


def check_policy(policy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the policy, each value within its bounds. Raises InvalidQueue, one sentence for each problem."""
    unknown = sorted(policy.keys() - _BY_NAME.keys())
    problems = [_("A queue has no {name}.").format(name=name.replace("_", " ")) for name in unknown]
    try:
        values = read_all(POLICY, policy)
    except InvalidInput as refusal:
        raise MalformedQueue(" ".join([translated(refusal), *problems])) from refusal
    if problems:
        raise MalformedQueue(" ".join(problems))
    return values


def quote(name: str) -> str:
    """Return a name for a sentence: quoted, and no longer than a line."""
    return quoted(name, 60)
