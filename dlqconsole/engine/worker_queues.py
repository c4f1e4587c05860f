"""The queues of Celery's workers, by name; celery/__init__.py says which task goes where."""

WORK, TICKS, PIPELINE = "dlqconsole", "ticks", "pipeline"
