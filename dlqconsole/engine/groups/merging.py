"""Groups that are one cause after all, and fingerprints that are not.

Both are written down by fingerprint, so they hold for every failure to come. The dead letters that are there
already follow when their groups are re-classified: what each function returns are those groups.
"""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from dlqconsole.core.errors import InvalidMerge
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine import audit
from dlqconsole.engine.models import FailureGroup, GroupMerge
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import transaction

MOST_GROUPS = 100


def merge(groups: Iterable[int], into: int, *, actor: str, reason: str) -> list[int]:
    """Put groups, and those merged into them before, into one. Return the groups to re-classify.

    Raises InvalidMerge with a sentence.
    """
    others = sorted(set(groups) - {into})
    if not others:
        raise InvalidMerge(_("Choose at least one other group: a group cannot be merged into itself."))
    if len(others) > MOST_GROUPS:
        raise InvalidMerge(
            _("At most {most_groups} groups are merged at once; these are {others:,}. Write a rule.").format(
                most_groups=MOST_GROUPS, others=len(others)
            )
        )
    with transaction.atomic():
        fetch_column(sql("classification.lock_merges"), {})
        _check_known([*others, into])
        _check_target(into, others)
        fingerprints = _fingerprints(others) | _fingerprints([into])
        GroupMerge.objects.filter(pk=into).delete()
        for fingerprint in sorted(fingerprints - {into}):
            GroupMerge.objects.update_or_create(
                pk=fingerprint, defaults={"group_id": into, "actor": actor, "reason": reason}
            )
        for group in others:
            audit.record(actor, "merge", f"group:{group}", reason=reason, detail={"into": into})
        audit.record(actor, "merge", f"group:{into}", reason=reason, detail={"groups": others})
    return others


def split(fingerprint: int, group: int, *, actor: str, reason: str) -> list[int]:
    """Give a merged fingerprint a group of its own again. Return the groups to re-classify.

    Raises InvalidMerge with a sentence, the same for what was merged into another one: who asks may see
    nothing of that.
    """
    with transaction.atomic():
        fetch_column(sql("classification.lock_merges"), {})
        if not GroupMerge.objects.filter(pk=fingerprint, group_id=group).exclude(pk=group).exists():
            raise InvalidMerge(
                _(
                    "Fingerprint {fingerprint} was not merged into group {group}. To tell apart what"
                    " shares one fingerprint, write a rule that refines it."
                ).format(fingerprint=fingerprint, group=group)
            )
        # kept, not deleted: it says that they were taken apart on purpose
        GroupMerge.objects.filter(pk=fingerprint).update(group_id=fingerprint, actor=actor, reason=reason)
        audit.record(actor, "split", f"group:{group}", reason=reason, detail={"out": fingerprint})
        audit.record(actor, "split", f"group:{fingerprint}", reason=reason, detail={"out_of": group})
    return [group]


def merged_into(group: int) -> list[GroupMerge]:
    """Return the fingerprints that people put into a group, for its page."""
    return list(GroupMerge.objects.filter(group_id=group).exclude(pk=group).order_by("created_at", "pk"))


def _check_known(groups: list[int]) -> None:
    existing = set(FailureGroup.objects.filter(pk__in=groups).values_list("pk", flat=True))
    if missing := [group for group in groups if group not in existing]:
        raise InvalidMerge(_("There is no group {group}.").format(group=missing[0]))


def _check_target(into: int, others: list[int]) -> None:
    """Refuse a target that is merged itself: a chain is flattened, and the person must know into what."""
    target = GroupMerge.objects.filter(pk=into).exclude(group_id=into).first()
    if target is not None and target.group_id not in others:
        raise InvalidMerge(
            _("Group {into} is itself merged into group {group_id}; merge into that one instead.").format(
                into=into, group_id=target.group_id
            )
        )


def _fingerprints(groups: list[int]) -> set[int]:
    """Return the groups' own fingerprints, and those merged into them."""
    fingerprints = GroupMerge.objects.filter(group_id__in=groups).values_list("pk", flat=True)
    return set(groups) | set(fingerprints)
