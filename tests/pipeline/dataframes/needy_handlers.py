"""A handler that cannot work without a variable."""

from dlqconsole.processing import handler


@handler("order.created", needs="BILLING_URL")
def created(event, lookups):
    """Never called where the variable is missing."""
    return {}
