from django.apps import AppConfig


class SealingConfig(AppConfig):
    name = "dlqconsole.contrib.sealing"
    label = "sealing"
    default_auto_field = "django.db.models.BigAutoField"
