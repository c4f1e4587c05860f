"""Handlers that say what they depend on."""

from dlqconsole.processing import handler


def nothing(event, lookups):
    """Needs no record."""


handler("bill.sent", depends_on="billing")(nothing)
handler("bill.paid", depends_on=["billing"])(nothing)
handler("parcel.sent", depends_on="stock")(nothing)
handler("parcel.billed", depends_on=("billing", "stock"))(nothing)
