from django.apps import AppConfig


class PlaybooksConfig(AppConfig):
    name = "dlqconsole.contrib.playbooks"
    label = "playbooks"
    default_auto_field = "django.db.models.BigAutoField"
