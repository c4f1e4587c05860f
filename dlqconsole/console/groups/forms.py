"""The forms on a group's page: its notes, its state, and groups of the same cause."""

from typing import Any
from urllib.parse import urlsplit

from django.forms import HiddenInput, Select, TextInput
from django.utils.translation import gettext as _

from dlqconsole.console.parts.fields import ReasonField, TypedField, VersionField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.engine.models import FailureGroup, GroupMerge
from dlqconsole.hosting.wording import format_lazy, gettext_lazy
from dlqconsole.processing.inputs.fields import Choice, WholeNumber
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.times import Until
from dlqconsole.triage.changes import DESCRIPTION, SNOOZE
from dlqconsole.triage.claims import UNTIL

TEXTS = ("owner", "ticket", "note")
SNOOZES = ("until", "more", "below_rate")
VERBS = ("describe", "claim", "release", "resolve", "reopen", "snooze", "merge", "split")
CLAIMS = [
    ("30m", gettext_lazy("for 30 min")),
    ("1h", gettext_lazy("for 1 h")),
    ("2h", gettext_lazy("for 2 h")),
    ("4h", gettext_lazy("for 4 h")),
    ("8h", gettext_lazy("for 8 h")),
]
_CHOOSE = format_lazy(
    gettext_lazy("Choose what to do: {names} or {last}."), names=", ".join(VERBS[:-1]), last=VERBS[-1]
)
_WHICH = gettext_lazy("Say which group: its number stands in the address of its page.")
_ONE_LINE = {"autocomplete": "off"}


class GroupForm(ConsoleForm):
    """The fields of every form of a group's page: the action, and the version that the person saw."""

    verb = TypedField(
        Choice(what=gettext_lazy("The action"), choices=[(verb, verb) for verb in VERBS], no_value=_CHOOSE),
        widget=HiddenInput,
    )
    version = VersionField(sentence=gettext_lazy("The form lost its version. Reload the page and try again."))


class DescribeForm(GroupForm):
    """The owner, the ticket, and a note."""

    ids = "story"
    declarations = DESCRIPTION

    reason = ReasonField(required=False)


class ClaimForm(GroupForm):
    """Say that you work on it, or that nobody does any more. Neither needs a reason."""

    ids = "claim"

    until = TypedField(UNTIL, widget=Select(choices=CLAIMS, attrs={"class": "short"}))
    reason = ReasonField(required=False)


class StateForm(GroupForm):
    """Resolve, reopen or snooze it. The fields of a snooze are read only for a snooze."""

    ids = "state"
    declarations = SNOOZE

    reason = ReasonField(
        required=False, label=gettext_lazy("Why? (may stay empty)"), widget=TextInput(attrs=_ONE_LINE)
    )
    until = TypedField(
        Until(
            label=gettext_lazy("Until"),
            hint=gettext_lazy("8h, 3d, 2w, or a date or time in UTC"),
            placeholder="8h",
        ),
        required=False,
    )

    def clean(self) -> dict[str, Any]:
        if not self.is_snooze:
            for name in SNOOZES:
                self.errors.pop(name, None)
        return self.cleaned_data

    @property
    def is_snooze(self) -> bool:
        return self.data.get("verb") == "snooze"


class MergeForm(GroupForm):
    """Put it into another group."""

    ids = "merge"

    into = TypedField(
        WholeNumber(
            what=gettext_lazy("The other group"),
            label=gettext_lazy("Number of the other group"),
            low=1,
            no_value=_WHICH,
        ),
    )
    reason = ReasonField(widget=TextInput(attrs=_ONE_LINE))


class SplitForm(GroupForm):
    """Take one fingerprint out of it again."""

    fingerprint = TypedField(
        WholeNumber(what=gettext_lazy("The fingerprint"), low=1, no_value=_WHICH),
        widget=HiddenInput,
    )
    reason = ReasonField(label=gettext_lazy("Why take it apart?"), widget=TextInput(attrs=_ONE_LINE))

    def __init__(self, data: Any = None, **options: Any) -> None:
        # a group may have several of these forms
        number = as_id(str((options.get("initial") or data or {}).get("fingerprint", "")))
        super().__init__(data, auto_id=f"split-{number}-%s", **options)


FORMS: dict[str, type[GroupForm]] = {
    "describe": DescribeForm,
    "claim": ClaimForm,
    "release": ClaimForm,
    "resolve": StateForm,
    "reopen": StateForm,
    "snooze": StateForm,
    "merge": MergeForm,
    "split": SplitForm,
}


def form_from_post(data: Any, group: FailureGroup) -> GroupForm:
    """The form that was sent; one that only refuses if its kind is unknown."""
    form = FORMS.get(data.get("verb", ""), GroupForm)
    return form(data, initial=_texts(group)) if form is DescribeForm else form(data)


def page_forms(group: FailureGroup, merges: list[GroupMerge], invalid: GroupForm | None) -> dict[str, Any]:
    """The page's forms: filled from the group, and the invalid one as it was typed."""
    forms: dict[str, Any] = {
        "describe": DescribeForm(initial=_texts(group)),
        "claim_form": ClaimForm(),
        "state": StateForm(),
        "merge_form": MergeForm(),
    }
    forms |= {name: invalid for name, form in forms.items() if invalid and type(invalid) is type(form)}
    forms["merge_form"].fields["into"].help_text = _("This one is {pk}").format(pk=group.pk)
    forms["merged_here"] = [(merge, _split_form(merge.pk, invalid)) for merge in merges]
    return forms | {"refused": invalid}


def _texts(group: FailureGroup) -> dict[str, str]:
    return {name: getattr(group, name) for name in TEXTS}


def _split_form(fingerprint: int, invalid: GroupForm | None) -> GroupForm:
    if isinstance(invalid, SplitForm) and invalid.cleaned_data.get("fingerprint") == fingerprint:
        return invalid
    return SplitForm(initial={"fingerprint": fingerprint})


def ticket_url(ticket: str) -> str:
    """The ticket as an address to link to; empty unless it is http or https."""
    try:
        parts = urlsplit(ticket)
    except ValueError:
        return ""
    plain = ticket.isprintable() and " " not in ticket
    return ticket if plain and parts.scheme in ("http", "https") and parts.hostname else ""
