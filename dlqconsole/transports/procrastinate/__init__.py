"""procrastinate's jobs: those that failed become dead letters, and a revive lets the same job run again."""

from dlqconsole.transports.jobs.table import JobTable
from dlqconsole.transports.system import RelaySteps, System


def _open() -> JobTable:
    from dlqconsole.transports.procrastinate.table import Procrastinate

    return Procrastinate()


def _relay_steps() -> RelaySteps:
    from dlqconsole.transports.jobs.steps import JobSteps

    return JobSteps(_open())


SYSTEM = System("procrastinate", "procrastinate", _open, relay_steps=_relay_steps)
