from django.apps import AppConfig


class PlaybooksConfig(AppConfig):
    name = "dlqconsole.playbooks"
    label = "playbooks"
    default_auto_field = "django.db.models.BigAutoField"
