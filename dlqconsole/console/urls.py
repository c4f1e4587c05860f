"""The console's addresses: each noun brings its own."""

from django.urls import include, path, register_converter

from dlqconsole.console.parts.converters import BigId, QueueName

register_converter(BigId, "id")
register_converter(QueueName, "queue")

NOUNS = (
    "overview",
    "dead_letters",
    "archive",
    "operations",
    "revealing",
    "groups",
    "rules",
    "queues",
    "playbooks",
    "schedules",
    "reports",
    "runs",
    "drift",
    "audit",
    "tokens",
    "monitoring",
    "access",
)

urlpatterns = [path("", include(f"dlqconsole.console.{noun}.urls")) for noun in NOUNS]
