"""The declaration of the API: the places where it plugs in."""

from dlqconsole.features import Feature

_HERE = "dlqconsole.contrib.api"

FEATURE = Feature(
    name="api",
    addresses=f"{_HERE}.urls",
    cards={"dead letter copies": f"{_HERE}.copies.curl"},
)
