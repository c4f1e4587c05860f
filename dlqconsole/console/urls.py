"""The console's addresses: each noun brings its own."""

from django.urls import include, path, register_converter

from dlqconsole.console.parts.converters import BigId, QueueName
from dlqconsole.features import features

register_converter(BigId, "id")
register_converter(QueueName, "queue")

NOUNS = (
    "overview",
    "dead_letters",
    "operations",
    "revealing",
    "groups",
    "rules",
    "queues",
    "schedules",
    "reports",
    "runs",
    "audit",
    "tokens",
    "monitoring",
    "access",
)

ADDRESSES = (
    *(f"dlqconsole.console.{noun}.urls" for noun in NOUNS),
    *(feature.addresses for feature in features() if feature.addresses),
)
urlpatterns = [path("", include(addresses)) for addresses in ADDRESSES]
