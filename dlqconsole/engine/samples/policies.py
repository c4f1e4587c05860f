"""The sampling policy of each event type: from the settings, or a person's."""

import time
from collections.abc import Mapping
from enum import Enum

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from dlqconsole.core.errors import InvalidSampling
from dlqconsole.engine import audit
from dlqconsole.engine.models import SampledType
from dlqconsole.processing.sampling import SamplePolicy

MOST_ONE_IN = 1_000_000
TYPE_LIMIT = 255
# a writer learns of a change after so many seconds at the latest
READ_AGAIN_SECONDS = 60.0


class SamplePolicies:
    """The current policy of each type, read again once a minute; each process has one."""

    def __init__(self) -> None:
        self._by_type: Mapping[str, SamplePolicy] = {}
        self._usual = SamplePolicy()
        self._read_again_at = 0.0

    def refresh(self) -> bool:
        """Read the policies, if a minute has passed. Tell whether it had."""
        if time.monotonic() < self._read_again_at:
            return False
        self._usual, self._by_type = usual(), stored_policies()
        self._read_again_at = time.monotonic() + READ_AGAIN_SECONDS
        return True

    def forget(self) -> None:
        """Read the policies anew the next time."""
        self._read_again_at = 0.0

    def of(self, event_type: str) -> SamplePolicy:
        """Return the policy of a type, as it was read last."""
        return self._by_type.get(event_type, self._usual)


def usual() -> SamplePolicy:
    """Return the settings' policy, for types without one of their own."""
    return SamplePolicy(settings.DLQ_SAMPLE_ONE_IN, is_masked=True)


def stored_policies() -> dict[str, SamplePolicy]:
    """Return people's policies by event type, completed by the settings."""
    default = usual()
    rows = SampledType.objects.values_list("event_type", "one_in", "masked")
    return {name: default.but(one_in, is_masked) for name, one_in, is_masked in rows}


class Unsaid(Enum):
    """The mark of a value that a person leaves unchanged."""

    AS_IT_IS = "as it is"


AS_IT_IS = Unsaid.AS_IT_IS


def change(
    event_type: str,
    *,
    one_in: int | Unsaid | None = AS_IT_IS,
    masked: bool | Unsaid | None = AS_IT_IS,
    actor: str,
    reason: str,
) -> SamplePolicy:
    """Set how a type is sampled from now on; None: as the settings say. Raises InvalidSampling.

    A value that is left out stays as it was.

    Existing samples stay as they are: erase them, too, if you want them gone.
    """
    _check(event_type, one_in)
    if not reason.strip():
        raise InvalidSampling("A reason is needed: the audit log keeps it.")
    with transaction.atomic():
        SampledType.objects.get_or_create(event_type=event_type)
        row = SampledType.objects.select_for_update().get(pk=event_type)
        row.one_in = row.one_in if isinstance(one_in, Unsaid) else one_in
        row.masked = row.masked if isinstance(masked, Unsaid) else masked
        row.updated_at = Now()
        detail = {"one_in": row.one_in, "masked": row.masked}
        if row.one_in is None and row.masked is None:
            row.delete()
        else:
            row.save()
        audit.record(actor, "sampling changed", f"event_type:{event_type}", reason=reason, detail=detail)
    return usual().but(row.one_in, row.masked)


def _check(event_type: str, one_in: int | Unsaid | None) -> None:
    if not event_type or len(event_type) > TYPE_LIMIT or "\0" in event_type:
        raise InvalidSampling(f"An event type has 1 to {TYPE_LIMIT} characters.")
    if isinstance(one_in, int) and not 0 <= one_in <= MOST_ONE_IN:
        raise InvalidSampling(
            f"One in how many is a number from 0 (none) to {MOST_ONE_IN:,}, not {one_in:,}."
        )
