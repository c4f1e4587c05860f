from django.apps import AppConfig
from django.core.checks import Tags, register
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate


class EngineConfig(AppConfig):
    name = "dlqconsole.engine"
    label = "engine"

    def ready(self) -> None:
        from dlqconsole.engine.database.sessions import settle_new
        from dlqconsole.engine.grants.closing import close_functions
        from dlqconsole.engine.grants.excess import check_rights

        connection_created.connect(settle_new)
        post_migrate.connect(close_functions, sender=self)
        register(check_rights, Tags.database)
