"""A broker that is away, for an app of the test's own.

Celery keeps its connections for as long as the app lives: the product's own app, once it has tried such an
address, would go on trying it in each later test of this process.
"""

from celery import Celery

from dlqconsole.celery import configuration


def an_app_whose_broker_is_away() -> Celery:
    app = Celery("nobody-listens", broker="redis://127.0.0.1:1/0", set_as_current=False)
    app.conf.broker_transport_options = configuration.broker_transport_options
    app.conf.task_publish_retry = configuration.task_publish_retry
    return app
