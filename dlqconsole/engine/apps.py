from django.core.checks import Tags, register
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate

from dlqconsole.hosting import app


class EngineConfig(app.Ours):
    name = "dlqconsole.engine"

    def ready(self) -> None:
        from django.conf import settings

        from dlqconsole.core.handling.isolation import children_are
        from dlqconsole.core.host import lend
        from dlqconsole.core.settings import settings as core_settings
        from dlqconsole.core.successes import keep_by
        from dlqconsole.engine import handler_child
        from dlqconsole.engine.database.sessions import DjangoHost, settle_new
        from dlqconsole.engine.grants.excess import check_rights, close_functions
        from dlqconsole.features import success_keepers
        from dlqconsole.tables.migrating import bring_up_tables

        core_settings.read_from(settings)
        lend(DjangoHost())
        for keeper in success_keepers(settings):
            keep_by(keeper)
        children_are("dlqconsole.engine.handler_child", handler_child.nothing_is_open)
        connection_created.connect(settle_new)
        # Django tells nobody of applications without models, such as that of the tables
        post_migrate.connect(bring_up_tables, sender=self)
        post_migrate.connect(close_functions, sender=self)
        register(check_rights, Tags.database)
