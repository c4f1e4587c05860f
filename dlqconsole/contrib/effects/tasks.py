"""The Celery task of the ledger."""

from dlqconsole.celery import app
from dlqconsole.contrib.effects import ledger


@app.task(name="effects.forget")
def forget() -> None:
    """Delete effects that are too old to matter: the tick."""
    ledger.forget()
