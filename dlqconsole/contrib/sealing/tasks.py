"""The Celery tasks of sealing."""

from dlqconsole.celery import app
from dlqconsole.contrib.sealing import checks, seals


@app.task(name="sealing.seal")
def seal() -> None:
    """Seal the entries of the audit log since the last seal: the tick."""
    seals.seal()


@app.task(name="sealing.verify")
def verify() -> None:
    """Compare the audit log with its seals, and note the result in it."""
    checks.check()
