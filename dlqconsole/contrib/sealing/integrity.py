"""The integrity of the audit log, for its page: how far it is sealed, and whether it has changed since."""

from dataclasses import dataclass
from datetime import timedelta

from dlqconsole.contrib.sealing import checks, verification
from dlqconsole.contrib.sealing.models import AuditSeal
from dlqconsole.contrib.sealing.seals import last_seal
from dlqconsole.contrib.sealing.verification import UnsealedRows
from dlqconsole.engine.models import AuditEntry

# the beat seals every ten seconds and verifies once a day
LATE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Integrity:
    """The newest seal, the entries after it, and the last verification."""

    seal: AuditSeal | None
    newer: UnsealedRows
    check: AuditEntry | None

    @property
    def differences(self) -> int:
        """The number of differences in the last verification."""
        return int(self.check.detail.get("problems", 0)) if self.check else 0

    @property
    def is_late(self) -> bool:
        """Tell whether rows have waited for a seal for longer than they should."""
        return self.newer.seconds > LATE.total_seconds()


def integrity() -> Integrity:
    """Return the integrity as it is now."""
    return Integrity(last_seal(), verification.count_unsealed(), checks.last_check())
