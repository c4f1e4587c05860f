"""The configuration of our Celery application. A project's own ``CELERY_…`` are for its own application."""

from django.conf import settings

broker_url = settings.REDIS_URL
task_serializer = "json"
accept_content = ["json"]
task_ignore_result = True
task_default_queue = "dlqconsole"
broker_connection_retry_on_startup = True
broker_transport_options = {
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "max_retries": 1,
    # all that we write there: an account of Redis needs no other key
    "global_keyprefix": "dlqconsole:",
}
task_publish_retry = False  # the click is already in PostgreSQL; the sweep finds it
worker_prefetch_multiplier = 1
timezone = "UTC"
worker_hijack_root_logger = False
